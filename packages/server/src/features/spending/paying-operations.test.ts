/** Every operation that pays has a rule, and no other operation is in the list. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayPay, operationList } from '@market/contract';
import { type PayingRule, payingOperations } from './paying-operations.ts';

test('the list of paying operations has exactly the operations that pay', () => {
  const paying = operationList.filter(({ spec }) => mayPay(spec)).map(({ name }) => name);
  assert.deepEqual(Object.keys(payingOperations).sort(), paying.sort());
});

test('a paying operation without an estimate gives the reason in a sentence', () => {
  for (const [name, rule] of Object.entries(payingOperations) as [string, PayingRule][]) {
    if ('estimate' in rule) continue;
    assert.match('free' in rule ? rule.free : rule.onlyFrozen, /^[A-Z].*\.$/, name);
  }
});

test('operations whose money a machine’s owner pays have an estimate', () => {
  const estimated = Object.entries(payingOperations)
    .filter(([, rule]) => 'estimate' in rule)
    .map(([name]) => name);
  assert.deepEqual(estimated.sort(), [
    'agents.register',
    'bounties.accept',
    'earn.agentDeposit',
    'earn.deposit',
    'orders.pay',
    'orders.place',
    'x402.discover',
    'x402.discoverByBody',
    'x402.discoverByQuery',
    'x402.pay',
  ]);
});
