import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideDeposit,
  decideWithdrawal,
  earnDepositCommands,
  earnDepositStatuses,
  earnWithdrawalCommands,
  earnWithdrawalStatuses,
} from './lifecycle.ts';
import { depositSentence, withdrawalSentence } from './words.ts';

test('no command moves a deposit that is minted or refunded', () => {
  for (const end of ['deployed', 'refunded'] as const)
    for (const command of earnDepositCommands)
      for (const by of ['system', 'operator'] as const) assert.equal(decideDeposit(end, command, by), undefined, `${end} ${command}`);
});

test('only an operator lets a held deposit go on', () => {
  assert.equal(decideDeposit('held', 'retry', 'system'), undefined);
  assert.equal(decideDeposit('held', 'refund', 'system'), undefined);
  assert.equal(decideDeposit('held', 'mint', 'system'), undefined);
  assert.equal(decideDeposit('held', 'mint', 'operator'), 'deployed');
  assert.equal(decideDeposit('held', 'retry', 'operator'), 'received');
  assert.equal(decideDeposit('held', 'refund', 'operator'), 'refunding');
});

test('no command moves a settled withdrawal, and a refused redemption goes back to the queue', () => {
  for (const command of earnWithdrawalCommands) assert.equal(decideWithdrawal('settled', command), undefined, command);
  assert.equal(decideWithdrawal('redeeming', 'give_back'), 'queued');
});

test('every status of a deposit and a withdrawal has its sentence', () => {
  for (const status of earnDepositStatuses) {
    const said = depositSentence({ status, amountMicros: 5_000_000n, label: 'Lending', reason: null });
    assert.match(said, /5\.00 USDC/);
    assert.match(said, /\.$/);
  }
  for (const status of earnWithdrawalStatuses) {
    const said = withdrawalSentence({ status, label: 'Lending', place: 2, paidMicros: 0n, receivedMicros: 0n });
    assert.match(said, /\.$/, status);
  }
});
