import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderCommands, orderLifecycle } from '../orders/lifecycle.ts';
import { claimCommands } from './lifecycle.ts';
import { leastStakeProblem, mostStakeMicros } from './limits.ts';
import { decideStake } from './stakes.ts';

test('every command that ends a paid order ends the stake of its winner, and no other command does', () => {
  const ending = new Set(orderLifecycle.filter(({ to }) => to === 'completed' || to === 'cancelled').map(({ command }) => command));
  // `review` keeps a completed order completed, so it ends nothing.
  ending.delete('review');
  for (const command of orderCommands) assert.equal(decideStake('order', command) !== undefined, ending.has(command), command);
});

test('only the expiry of an order without a delivery forfeits a stake', () => {
  assert.deepEqual(
    orderCommands.filter((command) => decideStake('order', command) === 'forfeited'),
    ['expire'],
  );
  const [expiry, ...others] = orderLifecycle.filter(({ command }) => command === 'expire');
  assert.deepEqual([expiry?.from, others.length], [['paid', 'in_progress'], 0]);
});

test('a claim that is rejected, withdrawn or lapsed gets its stake back', () => {
  assert.deepEqual(
    claimCommands.map((command) => [command, decideStake('claim', command)]),
    [
      ['claim', undefined],
      ['invite', undefined],
      ['accept', undefined],
      ['reject', 'returned'],
      ['withdraw', 'returned'],
      ['lapse', 'returned'],
    ],
  );
});

test('a claim stake is zero, or between 0.10 USDC and a tenth of the budget in whole cents', () => {
  assert.equal(mostStakeMicros(1_000_000n), 100_000n);
  assert.equal(mostStakeMicros(12_340_000n), 1_230_000n);
  assert.deepEqual(
    [0n, 90_000n, 100_000n, 105_000n, 110_000n].map((micros) => leastStakeProblem(micros) === undefined),
    [true, false, true, false, true],
  );
});
