import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { createDatabaseClock, type DatabaseClock } from '../clock/database-clock.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { listenForNotifications, type Notifications } from '../db/notifications.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { defineJob, type JobDefinition } from './job.ts';
import { enqueueJobs, exchangeJobs } from './job-repository.ts';
import { createJobRunner, type JobRunner } from './job-runner.ts';

let testDatabase: TestDatabase;
let database: Database;
let notifications: Notifications;
let clock: DatabaseClock;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 10, onError: () => {} });
  notifications = await listenForNotifications(testDatabase.connection, () => {});
  clock = await createDatabaseClock(database.pool);
});

after(async () => {
  clock.stop();
  await notifications.close();
  await database.close();
  await testDatabase.drop();
});

function runner(definitions: JobDefinition[], leaseSeconds = 30): JobRunner {
  return createJobRunner({
    database,
    notifications,
    clock,
    log: createLogger({ level: 'silent', pretty: false }),
    metrics: createMetrics(),
    definitions,
    leaseSeconds,
  });
}

const anything = z.record(z.string(), z.unknown());

async function until(condition: () => boolean | Promise<boolean>, ms = 5_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, 'waited too long');
    await sleep(5);
  }
}

async function jobsLeft(kind: string): Promise<number> {
  const { rows } = await database.pool.query('select 1 from jobs where kind = $1', [kind]);
  return rows.length;
}

test('a job enqueued in a transaction runs once it commits, and never when it rolls back', async () => {
  const ran: unknown[] = [];
  const jobs = runner([
    defineJob({ kind: 'commit', payload: anything, retryAfterSeconds: [], run: async (payload) => void ran.push(payload) }),
  ]);
  await jobs.start();
  await database.transaction((tx) => enqueueJobs(tx, [{ kind: 'commit', payload: { n: 1 } }]));
  const failure = database.transaction(async (tx) => {
    await enqueueJobs(tx, [{ kind: 'commit', payload: { n: 2 } }]);
    throw new Error('no');
  });
  await assert.rejects(failure);
  await until(() => ran.length === 1);
  await sleep(50);
  await jobs.stop(1_000);
  assert.deepEqual(ran, [{ n: 1 }]);
  assert.equal(await jobsLeft('commit'), 0);
});

test('a failing job is retried after the configured seconds, and then kept as dead with its reason', async () => {
  const times: number[] = [];
  const jobs = runner([
    defineJob({
      kind: 'failing',
      payload: anything,
      retryAfterSeconds: [0.2, 0.6],
      async run() {
        times.push(performance.now());
        throw new Error('the receiver said no');
      },
    }),
  ]);
  await jobs.start();
  await enqueueJobs(database.db, [{ kind: 'failing', payload: {} }]);
  const dead = async () => (await database.pool.query(`select last_error from jobs where kind = 'failing' and state = 'dead'`)).rows;
  await until(async () => (await dead()).length === 1);
  await jobs.stop(1_000);
  const [first = 0, second = 0, third = 0] = times;
  assert.equal(times.length, 3);
  assert.ok(Math.abs(second - first - 200) < 150, `first gap was ${second - first} ms`);
  assert.ok(Math.abs(third - second - 600) < 150, `second gap was ${third - second} ms`);
  assert.deepEqual(await dead(), [{ last_error: 'the receiver said no' }]);
});

test('a delayed job waits for the market clock, and moving the clock makes it due at once', async () => {
  let ran = 0;
  const jobs = runner([defineJob({ kind: 'in-two-days', payload: anything, retryAfterSeconds: [], run: async () => void ran++ })]);
  await jobs.start();
  const runAt = new Date(clock.now().getTime() + 48 * 3600_000);
  await enqueueJobs(database.db, [{ kind: 'in-two-days', payload: {}, runAt }]);
  await sleep(200);
  assert.equal(ran, 0);
  await clock.advance(48 * 3600 - 2);
  await sleep(100);
  assert.equal(ran, 0, 'not a second early');
  await clock.advance(3);
  await until(() => ran === 1, 2_000);
  await jobs.stop(1_000);
});

test('a unique key keeps one waiting job, however often it is enqueued', async () => {
  const runAt = new Date(clock.now().getTime() + 3600_000);
  for (let i = 0; i < 3; i++) await enqueueJobs(database.db, [{ kind: 'once', payload: {}, uniqueKey: 'once:1', runAt }]);
  assert.equal(await jobsLeft('once'), 1);
});

test('a job of a crashed worker is taken over when its lease expires', async () => {
  await enqueueJobs(database.db, [{ kind: 'orphan', payload: {}, queue: 'orphans' }]);
  const { jobs: held } = await exchangeJobs(database.pool, { ended: [], room: new Map([['orphans', 1]]), leaseSeconds: 0.3 });
  assert.equal(held.length, 1);
  let attempt = 0;
  const jobs = runner([
    defineJob({
      kind: 'orphan',
      queue: 'orphans',
      payload: anything,
      retryAfterSeconds: [1],
      run: async (_payload, { number }) => {
        attempt = number;
      },
    }),
  ]);
  await jobs.start();
  await until(() => attempt > 0, 3_000);
  await jobs.stop(1_000);
  assert.equal(attempt, 2);
});

test('a worker that lost its lease cannot complete the job: its effect is rolled back', async () => {
  await database.pool.query('create table if not exists effects (worker text)');
  await enqueueJobs(database.db, [{ kind: 'zombie', payload: {}, queue: 'zombies' }]);
  let release = (): void => {};
  const paused = new Promise<void>((resolve) => {
    release = resolve;
  });
  let outcome = '';
  const slow = runner(
    [
      defineJob({
        kind: 'zombie',
        queue: 'zombies',
        payload: anything,
        retryAfterSeconds: [],
        async run(_payload, attempt) {
          // Simulates a process that stood still for longer than its lease.
          await database.pool.query(`update jobs set lease_until = clock_timestamp() - interval '1 second' where id = $1`, [attempt.jobId]);
          await paused;
          const writing = database.transaction(async (tx) => {
            await tx
              .insertInto('effects' as never)
              .values({ worker: 'zombie' } as never)
              .execute();
            await attempt.complete(tx);
          });
          outcome = await writing.then(
            () => 'committed',
            () => 'rolled back',
          );
          throw new Error('gone');
        },
      }),
    ],
    600,
  );
  await slow.start();
  await sleep(100);
  const quick = runner([
    defineJob({
      kind: 'zombie',
      queue: 'zombies',
      payload: anything,
      retryAfterSeconds: [],
      run: async (_payload, attempt) =>
        await database.transaction(async (tx) => {
          await tx
            .insertInto('effects' as never)
            .values({ worker: 'living' } as never)
            .execute();
          await attempt.complete(tx);
        }),
    }),
  ]);
  await quick.start();
  await until(async () => (await jobsLeft('zombie')) === 0, 8_000);
  release();
  await until(() => outcome !== '');
  await Promise.all([slow.stop(1_000), quick.stop(1_000)]);
  assert.equal(outcome, 'rolled back');
  assert.deepEqual((await database.pool.query('select worker from effects')).rows, [{ worker: 'living' }]);
});

test('a recurring job is rescheduled after each run and exists once across processes', async () => {
  let ran = 0;
  const definition = defineJob({
    kind: 'tick',
    queue: 'ticks',
    payload: anything,
    retryAfterSeconds: [],
    everySeconds: 0.1,
    run: async () => void ran++,
  });
  const [one, two] = [runner([definition]), runner([definition])];
  await Promise.all([one.start(), two.start()]);
  assert.equal(await jobsLeft('tick'), 1);
  await until(() => ran >= 3);
  await Promise.all([one.stop(1_000), two.stop(1_000)]);
  assert.equal(await jobsLeft('tick'), 1);
});

test('a stopping runner returns unfinished jobs without counting the attempt', async () => {
  let started = 0;
  const jobs = runner([
    defineJob({
      kind: 'long',
      queue: 'long',
      payload: anything,
      retryAfterSeconds: [],
      async run(_payload, { signal }) {
        started++;
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => setTimeout(() => reject(new Error('stopped')), 300)),
        );
      },
    }),
  ]);
  await jobs.start();
  await enqueueJobs(database.db, [{ kind: 'long', payload: {}, queue: 'long' }]);
  await until(() => started === 1);
  await jobs.stop(50);
  const { rows } = await database.pool.query(`select attempts, lease_until, state from jobs where kind = 'long'`);
  assert.deepEqual(rows, [{ attempts: 0, lease_until: null, state: 'ready' }]);
});
