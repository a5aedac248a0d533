/** A process is killed during its work: nothing acknowledged is lost, nothing happens twice, other processes continue. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { call, type Reply } from '../harness/http.ts';
import { agentBody, tokenFor } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { openFamily, type ProcessFamily } from './market-processes.ts';

async function withFamily(work: (family: ProcessFamily) => Promise<void>, options = {}): Promise<void> {
  const family = await openFamily(options);
  try {
    await work(family);
  } finally {
    await family.close();
  }
}

interface Registration {
  readonly body: Record<string, unknown> & { name: string };
  readonly key: string;
  /** The answer of the process that died, if it got that far. */
  acknowledged?: Reply | undefined;
}

const attempt = (url: string, { body, key }: Registration): Promise<Reply | undefined> =>
  call(url, 'POST /api/agents/register', { body, headers: { 'idempotency-key': key } }).catch(() => undefined);

test('every registration acknowledged before a SIGKILL, and every one retried after it, exists exactly once', async () => {
  await withFamily(async ({ start, database }) => {
    const [doomed, survivor] = await Promise.all([start(), start()]);
    const storm: Registration[] = [];
    let isRaging = true;
    const client = async () => {
      while (isRaging) {
        const registration: Registration = { body: agentBody(), key: randomUUID() };
        storm.push(registration);
        registration.acknowledged = await attempt(doomed.url, registration);
        if (registration.acknowledged === undefined) return;
      }
    };
    const clients = Array.from({ length: 12 }, client);
    const acknowledged = () => storm.filter((registration) => registration.acknowledged !== undefined).length;
    await until(async () => acknowledged() >= times(20, 60), 'the storm did not get going');
    await doomed.kill('SIGKILL');
    isRaging = false;
    await Promise.all(clients);

    const cutOff = storm.filter(({ acknowledged }) => acknowledged === undefined);
    assert.ok(cutOff.length > 0, 'no request was under way: the kill proves nothing');
    await assertAskedToWait(survivor.url, cutOff, database);
    for (const registration of storm) {
      const retry = await attempt(survivor.url, registration);
      assert.equal(retry?.status, 201, JSON.stringify(retry?.body));
      if (registration.acknowledged === undefined) continue;
      assert.deepEqual([retry?.headers.get('idempotent-replayed'), retry?.body], ['true', registration.acknowledged.body]);
    }
    const { rows } = await database.query<{ name: string; count: number }>('select name, count(*)::int as count from agents group by name');
    assert.deepEqual(new Map(rows.map(({ name, count }) => [name, count])), new Map(storm.map(({ body }) => [body.name, 1])));
    const events = await database.query(`select count(*)::int as count from events where type = 'agent.registered'`);
    assert.equal(events.rows[0].count, storm.length, 'each registration happened once in the event log as well');
  });
});

/** A key whose first request may still run must not run again until its lease ends; this ends it at once. */
async function assertAskedToWait(url: string, cutOff: readonly Registration[], database: pg.Client): Promise<void> {
  for (const registration of cutOff) {
    const reply = await attempt(url, registration);
    if (reply?.status === 201) continue;
    assert.deepEqual([reply?.status, reply?.body['code']], [409, 'idempotency_in_flight']);
    assert.ok(Number(reply?.headers.get('retry-after')) >= 1);
  }
  const { rows } = await database.query<{ seconds: number }>(
    `select extract(epoch from lease_until - clock_timestamp())::float8 as seconds from idempotency_keys where sealed_answer is null`,
  );
  for (const { seconds } of rows) assert.ok(seconds <= 60, `a dead request holds its key for ${seconds} s more`);
  await database.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
}

test('a job of a crashed worker stays untouched while its lease lasts, then another worker runs it', async () => {
  await withFamily(async ({ start, database }) => {
    const job = async () => (await database.query(`select * from jobs where unique_key = 'every:housekeeping'`)).rows[0];
    const leftovers = async () => (await database.query(`select 1 from idempotency_keys where key = 'old'`)).rowCount;
    const doomed = await start();
    await database.query(
      `insert into idempotency_keys (scope, key, request_hash, lease_token, lease_until, expires_at)
       values ('address:gone x', 'old', '\\x00', gen_random_uuid(), now(), now() - interval '1 day')`,
    );
    // The lock stops the job in the middle, where its process is killed.
    await database.query('begin');
    await database.query('lock table idempotency_keys in share mode');
    await database.query(`update jobs set run_at = market_now() where unique_key = 'every:housekeeping'`);
    await database.query(`select pg_notify('market_jobs', '')`);
    await database.query('commit and chain');
    await database.query('lock table idempotency_keys in share mode');
    await until(async () => (await job()).lease_until !== null, 'the job was not claimed');
    await doomed.kill('SIGKILL');
    await database.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    await database.query('commit');
    const held = await job();
    assert.equal(await leftovers(), 1, 'the killed process finished its work after all');

    const survivor = await start();
    await sleep(500);
    assert.deepEqual([(await job()).id, (await job()).lease_number], [held.id, held.lease_number], 'a job under lease was taken away');
    assert.ok(held.lease_until <= new Date(Date.now() + 30_000), 'the dead hold on for longer than 30 s');
    // The lease ends earlier than its holder promised, so sleeping workers must be woken.
    await database.query(`update jobs set lease_until = clock_timestamp() where id = $1`, [held.id]);
    await database.query(`select pg_notify('market_jobs', '')`);
    await until(async () => (await leftovers()) === 0, `nobody took the job over:\n${survivor.log()}`);
    await until(async () => (await job())?.lease_until === null, 'the job did not return to its rhythm');
    const { run_at: runAt, attempts } = await job();
    assert.equal(attempts, 0);
    assert.ok(runAt > held.run_at && runAt <= new Date(Date.now() + 600_000), 'the next run is not within a period');
  });
});

async function until(condition: () => Promise<boolean>, complaint: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    if (await condition()) return;
    await sleep(50);
  }
  assert.fail(complaint);
}

test('three processes started at once on an empty database all become ready with the same data', async () => {
  const work = async ({ start, database }: ProcessFamily) => {
    const servers = await Promise.all([start(), start(), start()]);
    for (const { url } of servers) assert.equal((await call(url, 'GET /readyz')).status, 200);
    const { rows } = await database.query('select count(*)::int as count, count(distinct name)::int as names from schema_migrations');
    assert.equal(rows[0].count, rows[0].names);
    // The processes had no master key or signing key, so they had to agree on those that one of them made.
    const [first] = servers;
    const { body } = await call(first.url, 'POST /api/agents/register', { body: agentBody() });
    const token = await tokenFor(first.url, { email: 'three@example.com' });
    for (const { url } of servers) {
      assert.equal((await call(url, 'GET /api/agents/me', { key: body['data'].api_key })).status, 200);
      assert.equal((await call(url, 'POST /api/auth/user', { key: token })).status, 200);
    }
  };
  await withFamily(work, { empty: true });
});
