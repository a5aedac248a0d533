import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '@market/contract';
import { moneyLine, moneyRows, totalOf, transferState } from './money-words.ts';
import { plainSay, sampleView } from './order-samples.ts';
import type { Money } from './order-view.ts';

const none = { paid_usd: '0.00', held_usd: '0.00', released_usd: '0.00', refunded_usd: '0.00', surplus_usd: '0.00' };
const price = { price_usd: '180.00', fee_usd: '18.00', provider_usd: '162.00' };

const cases: Record<string, Partial<Money>> = {
  unpaid: { ...none, ...price, state: 'not_paid' },
  held: { ...none, ...price, state: 'held', paid_usd: '180.00', held_usd: '180.00' },
  'held with surplus': { ...none, ...price, state: 'held', paid_usd: '181.00', held_usd: '180.00', surplus_usd: '1.00' },
  released: { ...none, ...price, state: 'released', paid_usd: '180.00', released_usd: '162.00' },
  refunded: { ...none, ...price, state: 'refunded', paid_usd: '180.00', refunded_usd: '180.00' },
  split: { ...none, ...price, state: 'split', paid_usd: '180.00', released_usd: '108.00', refunded_usd: '60.00' },
};

for (const [name, money] of Object.entries(cases)) {
  test(`the parts of the money panel add up to its total: ${name}`, () => {
    const rows = moneyRows(sampleView({ order: { kind: 'standard' }, money }), 'Fee');
    const total = rows.findLast(({ kind }) => kind === 'total');
    const parts = rows.filter(({ kind }) => kind !== 'total').reduce((sum, { usd }) => sum + (parseUsd(usd) ?? 0n), 0n);
    assert.equal(parts, parseUsd(total?.usd ?? ''));
  });
}

test('of a split the fee is what is left after both sides', () => {
  const rows = moneyRows(sampleView({ order: { kind: 'standard' }, money: cases['split'] ?? {} }), 'Fee');
  assert.equal(rows.find(({ label }) => label === 'Fee')?.usd, '12.00');
});

test('a machine pays the fee on top of the price', () => {
  const { money } = sampleView({ money: { ...price, provider_usd: '180.00' } });
  assert.equal(totalOf(money, 'machine'), '198.00');
  assert.equal(totalOf(money, 'standard'), '180.00');
});

test('the line of four steps follows the money, and a dispute is not called a review', () => {
  const at = (status: 'in_progress' | 'disputed', state: Money['state']) =>
    moneyLine(sampleView({ order: { status }, money: { ...cases['held'], state } }), plainSay);
  assert.equal(at('in_progress', 'held').at, 'held');
  assert.deepEqual(at('disputed', 'held').names, { in_review: 'In dispute' });
  assert.equal(at('in_progress', 'not_paid').at, undefined);
  assert.deepEqual(moneyLine(sampleView({ money: cases['refunded'] ?? {} }), plainSay).names, { released: 'Refunded' });
});

test('a transfer is never only pending: a parked one says why', () => {
  assert.equal(transferState('parked', 'The destination cannot receive USDC.'), 'delayed: The destination cannot receive USDC.');
  for (const state of ['queued', 'signed', 'sent', 'unknown', 'confirmed', 'void']) assert.notEqual(transferState(state), state);
});
