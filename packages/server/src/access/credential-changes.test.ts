/** How open streams learn of changed credentials, with and without notifications, on a real PostgreSQL. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { createLogger } from '../platform/telemetry/logger.ts';
import { type CredentialWatch, createCredentialChanges } from './credential-changes.ts';

let testDatabase: TestDatabase;
let database: Database;
before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 4, onError: () => undefined });
});
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const log = createLogger({ level: 'silent', pretty: false });

function open() {
  let hear: (subject?: string) => void = () => undefined;
  const notifications = {
    on(_channel: string, wake: (subject?: string) => void) {
      hear = wake;
    },
  };
  const changes = createCredentialChanges({ db: database.db, notifications, log });
  return { changes, hear: (subject?: string) => hear(subject) };
}

function watching({ changes }: ReturnType<typeof open>, ...subjects: string[]): CredentialWatch & { readonly wakes: () => number } {
  let wakes = 0;
  const watch = changes.watch(() => {
    wakes += 1;
  });
  if (subjects.length > 0) watch.follow(subjects);
  return { ...watch, wakes: () => wakes };
}

test('Y12: a notification wakes the watches it concerns, a ban wakes all, and a closed watch is never woken', () => {
  const stage = open();
  const [mine, other, closed] = [watching(stage, 'agent:a', 'wallet:w'), watching(stage, 'agent:b'), watching(stage, 'agent:a')];
  closed.close();
  stage.hear('wallet:w');
  assert.deepEqual([mine.take(), mine.take(), other.take(), closed.wakes()], [true, false, false, 0]);
  stage.hear('*');
  assert.deepEqual([mine.take(), other.take(), mine.wakes(), other.wakes()], [true, true, 2, 1]);
});

test('Y12: a watch does not miss a change between the check of the caller and the first wait', () => {
  const stage = open();
  const watch = watching(stage);
  stage.hear('agent:late');
  watch.follow(['agent:late']);
  assert.deepEqual([watch.wakes(), watch.take()], [2, true]);
});

test('Y12: without notifications, as behind some poolers, a watch reads each change from the database once', async () => {
  const stage = open();
  const [mine, other] = [watching(stage, 'agent:polled'), watching(stage, 'agent:other')];
  await database.pool.query(`select announce_credential_change('agent:polled')`);
  stage.hear();
  for (let tries = 0; mine.wakes() === 0 && tries < 100; tries++) await sleep(50);
  assert.deepEqual([mine.take(), other.take()], [true, false]);
  // A second read of the same change would wake again; a further change shows that the read is over.
  await database.pool.query(`select announce_credential_change('agent:other')`);
  stage.hear();
  for (let tries = 0; other.wakes() === 0 && tries < 100; tries++) await sleep(50);
  assert.deepEqual([mine.take(), other.take()], [false, true]);
});
