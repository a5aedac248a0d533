import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { findLatestAttempt, insertAttempt, moveAttempt } from './attempt-repository.ts';
import { moveIntent } from './intent-repository.ts';

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 4, onError: () => {} });
});
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const signed = (reference: string) => ({ reference, bytes: 'bytes', validity: '1' });

test('a worker whose lease expired cannot change an attempt that another worker finished', async () => {
  const id = 'pay_1700000000000_attempts';
  const outcome = await database.transaction(async (tx) => {
    await tx
      .insertInto('outgoingIntents')
      .values({ id, purpose: 'payout', subjectId: 's', network: 'base-mainnet', destination: 'd', amount: 5n })
      .execute();
    await insertAttempt(tx, { intentId: id, number: 1 }, signed('first'));
    const expired = await moveAttempt(tx, { intentId: id, number: 1 }, 'expired');
    await insertAttempt(tx, { intentId: id, number: 2 }, signed('second'));
    await moveIntent(tx, id, ['queued'], { state: 'signed' });
    const late = await moveAttempt(tx, { intentId: id, number: 1 }, 'sent');
    return { expired, late, open: (await findLatestAttempt(tx, id))?.state };
  });
  assert.deepEqual(outcome, { expired: true, late: false, open: 'signed' });
});
