/** Bytes landed although another process called them dead and stored new ones. Nothing may be sent for the intent again. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import pino from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { createWallet, openSolanaBench, type SolanaBench } from '../../../testing/solana-test-bench.ts';
import type { Chain, OutgoingTransfer } from '../../platform/chains/chain.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { findLatestAttempt, insertAttempt, moveAttempt } from './attempt-repository.ts';
import { settleSigned } from './carry.ts';
import { findIntentState, moveIntent } from './intent-repository.ts';
import type { Outgoing } from './outgoing.ts';
import { openStates } from './states.ts';

const FIVE = 5_000_000n;

let testDatabase: TestDatabase;
let database: Database;
let bench: SolanaBench;
let chain: Chain;
let transfer: OutgoingTransfer;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 4, onError: () => {} });
  bench = await openSolanaBench();
  chain = bench.openChain();
  await bench.fund(bench.treasury, 1_000_000_000n);
});
beforeEach(() => {
  transfer = { intentId: `pay_${randomUUID()}`, destination: createWallet().address, asset: 'usdc', amount: FIVE };
});
after(async () => {
  await bench.close();
  await database.close();
  await testDatabase.drop();
});

/** `meanwhile` is what another process does before the first landed bytes are booked. */
function payout(meanwhile: () => Promise<void> = async () => undefined): Outgoing {
  const { intentId: id } = transfer;
  return {
    id,
    chain,
    transfer,
    turn: id,
    sign: async () => assert.fail('nothing is signed'),
    async onConfirmed(_attempt, reference) {
      await meanwhile();
      return (tx) => moveIntent(tx, id, openStates, { state: 'confirmed', reference });
    },
    onFailed: async () => assert.fail('it has landed'),
  };
}

const settle = (outgoing: Outgoing) =>
  settleSigned({ database, clock: { now: bench.now, realNow: bench.now }, log: pino({ level: 'silent' }) }, outgoing);
const received = async () => (await chain.readBalances(transfer.destination)).usdcMicros;
const stateOf = () => findIntentState(database.db, transfer.intentId);

/** The first bytes land. `storeAnew`: another process, whose node is wrong, calls them dead, stores new ones and dies before it sends them. */
async function land() {
  const { intentId: id, destination, amount } = transfer;
  const first = await chain.signTransfer(transfer);
  bench.pass(2);
  const second = await chain.signTransfer(transfer);
  await database.transaction(async (tx) => {
    await tx
      .insertInto('outgoingIntents')
      .values({ id, purpose: 'payout', subjectId: id, network: 'solana-mainnet', destination, amount, state: 'sent' })
      .execute();
    await insertAttempt(tx, { intentId: id, number: 1 }, first);
  });
  await chain.broadcast(first);
  bench.settle();
  const storeAnew = () =>
    database.transaction(async (tx) => {
      await moveAttempt(tx, { intentId: id, number: 1 }, 'expired');
      await moveIntent(tx, id, ['sent'], { state: 'signed' });
      await insertAttempt(tx, { intentId: id, number: 2 }, second);
    });
  return { first, second, storeAnew };
}

async function findReference(): Promise<string | null | undefined> {
  const row = await database.db.selectFrom('outgoingIntents').select('reference').where('id', '=', transfer.intentId).executeTakeFirst();
  return row?.reference;
}

test('once the chain has shown that an intent is paid, later bytes that were stored and not sent are never sent', async () => {
  const { first, storeAnew } = await land();
  assert.deepEqual(await settle(payout(storeAnew)), { kind: 'again', seconds: 30 });
  assert.deepEqual(await settle(payout()), { kind: 'again', seconds: 30 });
  bench.settle();
  assert.equal(await received(), FIVE, 'paid once');

  bench.outlive();
  assert.deepEqual(await settle(payout()), { kind: 'done' });
  assert.equal(await stateOf(), 'confirmed');
  assert.equal(await findReference(), first.reference);
  assert.equal((await findLatestAttempt(database.db, transfer.intentId))?.state, 'expired');
  assert.equal(await received(), FIVE);
});

test('a node that calls the later bytes dead before it finds the first ones does not have the intent signed anew', async () => {
  const { first, storeAnew } = await land();
  await settle(payout(storeAnew));
  const forgetful: Outgoing = {
    ...payout(),
    readOutcome: async ({ reference }) =>
      reference === first.reference ? { state: 'landed', reference, finality: 'final' } : { state: 'expired' },
  };
  assert.deepEqual(await settle(forgetful), { kind: 'done' });
  assert.equal(await stateOf(), 'confirmed');
  assert.equal(await findReference(), first.reference);
});

test('an intent that another process paid twice is booked once, with the transaction that landed first', async () => {
  const { first, second, storeAnew } = await land();
  await settle(payout(storeAnew));
  await chain.broadcast(second);
  bench.settle();
  assert.deepEqual(await settle(payout()), { kind: 'done' });
  assert.equal(await stateOf(), 'confirmed');
  assert.equal(await findReference(), first.reference);
});

test('a process that looks while another confirms the only bytes of an intent is done', async () => {
  await land();
  const confirming = payout();
  const late: Outgoing = {
    ...payout(),
    async readOutcome(signed) {
      assert.deepEqual(await settle(confirming), { kind: 'done' });
      return await chain.readOutcome(transfer, signed);
    },
  };
  assert.deepEqual(await settle(late), { kind: 'done' });
  assert.equal(await stateOf(), 'confirmed');
});
