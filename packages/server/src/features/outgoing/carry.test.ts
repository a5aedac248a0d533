/** Two processes disagree about the signed bytes of one intent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { findLatestAttempt, insertAttempt, insertFoundAttempt, moveAttempt } from './attempt-repository.ts';
import { settleSigned } from './carry.ts';
import { findIntentState, moveIntent } from './intent-repository.ts';
import type { Outgoing } from './outgoing.ts';
import { openStates } from './states.ts';

let testDatabase: TestDatabase;
let database: Database;
let count = 0;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 4, onError: () => {} });
});
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const signed = (reference: string) => ({ reference, bytes: 'bytes', validity: '1' });

async function openIntent(): Promise<string> {
  const id = `pay_${++count}`;
  await database.transaction(async (tx) => {
    await tx
      .insertInto('outgoingIntents')
      .values({ id, purpose: 'payout', subjectId: id, network: 'base-mainnet', destination: 'd', amount: 5n, state: 'sent' })
      .execute();
    await insertAttempt(tx, { intentId: id, number: 1 }, signed(`${id}_first`));
  });
  return id;
}

/** An intent whose first bytes have landed. `meanwhile` runs before that is booked. */
function landed(id: string, meanwhile: () => Promise<void>): Outgoing {
  return {
    id,
    chain: { kind: 'evm' } as Chain,
    transfer: { intentId: id, destination: 'd', asset: 'usdc', amount: 5n },
    turn: id,
    sign: async () => assert.fail('nothing is signed'),
    readOutcome: async ({ reference }) => ({ state: 'landed', finality: 'final', reference }),
    async onConfirmed(_attempt, reference) {
      await meanwhile();
      return (tx) => moveIntent(tx, id, openStates, { state: 'confirmed', reference });
    },
    onFailed: async () => assert.fail('it has landed'),
  };
}

const settle = (outgoing: Outgoing) =>
  settleSigned({ database, clock: { now: () => new Date(), realNow: () => new Date() }, log: pino({ level: 'silent' }) }, outgoing);
const expire = (id: string) =>
  database.transaction(async (tx) => {
    await moveAttempt(tx, { intentId: id, number: 1 }, 'expired');
    await moveIntent(tx, id, ['sent'], { state: 'queued' });
  });

test('bytes that landed although another process called them dead are booked before new ones are signed', async () => {
  const id = await openIntent();
  assert.deepEqual(await settle(landed(id, () => expire(id))), { kind: 'done' });
  assert.equal(await findIntentState(database.db, id), 'confirmed');
  assert.equal((await findLatestAttempt(database.db, id))?.state, 'confirmed');
});

test('bytes that landed are not booked while others of the same intent may land, and the intent is looked at again', async () => {
  const id = await openIntent();
  const signAnew = async () => {
    await expire(id);
    await database.transaction(async (tx) => {
      await moveIntent(tx, id, ['queued'], { state: 'signed' });
      await insertAttempt(tx, { intentId: id, number: 2 }, signed(`${id}_second`));
    });
  };
  assert.deepEqual(await settle(landed(id, signAnew)), { kind: 'again', seconds: 30 });
  assert.equal(await findIntentState(database.db, id), 'signed');
  assert.equal((await findLatestAttempt(database.db, id))?.state, 'signed');
});

test('bytes that landed are not booked while another process is storing new ones', async () => {
  const id = await openIntent();
  let settled: ReturnType<typeof settle> | undefined;
  await expire(id);
  // The settling process sees the intent as signed and waits for its lock; meanwhile the store of new bytes commits.
  await database.transaction(async (tx) => {
    await moveIntent(tx, id, ['queued'], { state: 'signed' });
    settled = settle(landed(id, async () => undefined));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await insertAttempt(tx, { intentId: id, number: 2 }, signed(`${id}_second`));
  });
  assert.deepEqual(await settled, { kind: 'again', seconds: 30 });
  assert.equal(await findIntentState(database.db, id), 'signed');
  assert.equal((await findLatestAttempt(database.db, id))?.state, 'signed');
});

test('attempt and intent move together: an intent that another process ended keeps its attempt', async () => {
  const id = await openIntent();
  const end = () => database.transaction(async (tx) => void (await moveIntent(tx, id, ['sent'], { state: 'parked' })));
  assert.deepEqual(await settle(landed(id, end)), { kind: 'done' });
  assert.equal((await findLatestAttempt(database.db, id))?.state, 'signed');
});

test('one transaction found on chain may have carried two intents; signed bytes belong to one', async () => {
  const ids = [await openIntent(), await openIntent()];
  for (const id of ids) await expire(id);
  await database.transaction(async (tx) => {
    for (const id of ids) await insertFoundAttempt(tx, id, 'bundle');
  });
  for (const id of ids) assert.equal((await findLatestAttempt(database.db, id))?.reference, 'bundle');
  const again = () => database.transaction((tx) => insertAttempt(tx, { intentId: ids[0] ?? '', number: 9 }, signed(`${ids[1]}_first`)));
  await assert.rejects(again(), /outgoing_attempts_signed_once/);
});
