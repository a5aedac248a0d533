import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { createDatabaseClock, type DatabaseClock } from '../../platform/clock/database-clock.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import {
  agentPayable,
  escrow,
  inFlight,
  type LedgerAccount,
  platformFee,
  post,
  refundPayable,
  surplusPayable,
  treasury,
  unmatched,
} from '../ledger/index.ts';
import { type PayoutRow, queuePayout } from '../payouts/index.ts';
import { type OrderMoney, readOrderMoney } from './index.ts';

const BASE = 'base-mainnet';
let testDatabase: TestDatabase;
let database: Database;
let clock: DatabaseClock;
let keys = 0;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 4, onError: () => {} });
  clock = await createDatabaseClock(database.pool);
});
after(async () => {
  clock.stop();
  await database.close();
  await testDatabase.drop();
});

async function move(kind: string, subjectId: string, ...moves: readonly (readonly [LedgerAccount, bigint])[]): Promise<void> {
  const entries = moves.map(([account, micros]) => ({ account, micros }));
  await database.transaction((tx) => post(tx, { kind, subjectId, idempotencyKey: `test:${++keys}`, entries }));
}

/** Pays 105 for an order with a price of 100. */
async function payFor(order: string): Promise<void> {
  const transfer = unmatched(BASE, order);
  await move('receipt', `eip155:8453/${order}`, [treasury(BASE), -105n], [transfer, 105n]);
  await move('payment_claimed', order, [transfer, -105n], [escrow(BASE, order), 100n], [surplusPayable(BASE, 'payer'), 5n]);
}

async function send(order: string, purpose: 'payout' | 'refund', from: LedgerAccount, amountMicros: bigint, network = from.network) {
  const request = { purpose, subjectId: order, network, destination: 'somewhere', amountMicros, from };
  return await database.transaction((tx) => queuePayout(tx, request));
}

async function confirm({ id, network, subjectId, amountMicros }: PayoutRow): Promise<void> {
  await move('payout_confirmed', subjectId, [inFlight(network, id), -amountMicros], [treasury(network), amountMicros]);
}

/** The figures that are not zero. Asserts that they add up. */
async function figures(order: string): Promise<Record<string, bigint>> {
  const money = await readOrderMoney(database.db, order);
  const { paidMicros, heldMicros, feeMicros, releasedMicros, refundedMicros, surplusMicros } = money;
  assert.equal(paidMicros, heldMicros + feeMicros + releasedMicros + refundedMicros + surplusMicros);
  const all: Omit<OrderMoney, 'network' | 'lines'> = { paidMicros, heldMicros, feeMicros, releasedMicros, refundedMicros, surplusMicros };
  return Object.fromEntries(Object.entries(all).filter(([, micros]) => micros !== 0n));
}

test('an unpaid order has no money, no network and no lines', async () => {
  assert.deepEqual(await figures('none'), {});
  const { network, lines } = await readOrderMoney(database.db, 'none');
  assert.deepEqual([network, lines], [null, []]);
});

test('a completed order shows the same figures before, during and after its payout', async () => {
  await payFor('done');
  assert.deepEqual(await figures('done'), { paidMicros: 105n, heldMicros: 100n, surplusMicros: 5n });
  const owed = agentPayable(BASE, 'agent');
  await move('escrow_released', 'done', [escrow(BASE, 'done'), -100n], [owed, 90n], [platformFee(BASE), 10n]);
  const completed = { paidMicros: 105n, feeMicros: 10n, releasedMicros: 90n, surplusMicros: 5n };
  assert.deepEqual(await figures('done'), completed);
  const payout = await send('done', 'payout', owed, 90n);
  assert.deepEqual(await figures('done'), completed);
  await confirm(payout);
  assert.deepEqual(await figures('done'), completed);
});

test('a payout on another network counts as released, and the order keeps its payment network', async () => {
  await move('fee', 'fees', [treasury('solana-mainnet'), -90n], [platformFee('solana-mainnet'), 90n]);
  await payFor('redirected');
  await confirm(await send('redirected', 'payout', escrow(BASE, 'redirected'), 90n, 'solana-mainnet'));
  assert.deepEqual(await figures('redirected'), { paidMicros: 105n, heldMicros: 10n, releasedMicros: 90n, surplusMicros: 5n });
  assert.equal((await readOrderMoney(database.db, 'redirected')).network, BASE);
});

test('a split order shows released and refunded parts, also while the refund is still owed', async () => {
  await payFor('split');
  const back = refundPayable(BASE, 'split');
  const [held, agent] = [escrow(BASE, 'split'), agentPayable(BASE, 'agent')];
  await move('dispute_ruled', 'split', [held, -100n], [agent, 36n], [platformFee(BASE), 4n], [back, 60n]);
  const split = { paidMicros: 105n, feeMicros: 4n, releasedMicros: 36n, refundedMicros: 60n, surplusMicros: 5n };
  assert.deepEqual(await figures('split'), split);
  await confirm(await send('split', 'refund', back, 60n));
  await confirm(await send('split', 'payout', agent, 36n));
  assert.deepEqual(await figures('split'), split);
});

test('money moved from another record counts as paid for the order', async () => {
  await payFor('bounty');
  await move('bounty_accepted', 'winner', [escrow(BASE, 'bounty'), -100n], [escrow(BASE, 'winner'), 100n]);
  assert.deepEqual(await figures('winner'), { paidMicros: 100n, heldMicros: 100n });
});

test('the money lines of an order are newest first, as in statements, without the balances of others', async () => {
  await move('receipt', 'others', [treasury(BASE), -700n], [platformFee(BASE), 700n]);
  await payFor('lines');
  await move('escrow_released', 'lines', [escrow(BASE, 'lines'), -100n], [platformFee(BASE), 100n]);
  const { lines } = await readOrderMoney(database.db, 'lines');
  assert.deepEqual(
    lines.map((line) => [line.kind, line.account, line.amount_usd, line.balance_usd]).sort(),
    [
      ['escrow_released', 'escrow', '-0.0001', '0.00'],
      ['escrow_released', 'platform_fee', '0.0001', '0.0001'],
      ['payment_claimed', 'escrow', '0.0001', '0.0001'],
      ['payment_claimed', 'surplus_payable', '0.000005', '0.000005'],
      ['payment_claimed', 'unmatched', '-0.000105', '-0.000105'],
    ].sort(),
  );
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ['escrow_released', 'escrow_released', 'payment_claimed', 'payment_claimed', 'payment_claimed'],
  );
});
