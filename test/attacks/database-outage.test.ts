/** The database cuts all connections of a running process during its work. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type CallOptions, call, type Reply } from '../harness/http.ts';
import { type ServerProcess, type SharedMarket, startServers } from '../harness/market.ts';
import { agentBody, tokenFor } from '../harness/people.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

let shared: SharedMarket;
let server: ServerProcess;
/** A connection that survives the cuts. */
let outsider: pg.Client;
before(async () => {
  shared = await startServers(1);
  server = shared.servers[0] as ServerProcess;
  outsider = new pg.Client({ ...shared.database.connection });
  await outsider.connect();
});
after(async () => {
  await outsider?.end();
  await shared.close();
});

const send = (route: `${string} /${string}`, options?: CallOptions) => call(server.url, route, options);
const cutAll = () =>
  outsider.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()');

interface Registration {
  readonly body: Record<string, unknown>;
  readonly key: string;
  readonly reply: Reply;
}

const register = ({ body, key }: Pick<Registration, 'body' | 'key'>) =>
  send('POST /api/agents/register', { body, headers: { 'idempotency-key': key } });

/** All answers that several busy clients got while the connections were cut again and again. */
async function workThroughCuts(): Promise<{ replies: Reply[]; registrations: Registration[] }> {
  const token = await tokenFor(server.url, { email: 'outage@example.com' });
  const replies: Reply[] = [];
  const registrations: Registration[] = [];
  let isRunning = true;
  const work = async () => {
    while (isRunning) {
      const attempt = { body: agentBody(), key: randomUUID() };
      const reply = await register(attempt);
      registrations.push({ ...attempt, reply });
      replies.push(reply, await send('GET /api/agents'), await send('POST /api/auth/user', { key: token }));
    }
  };
  const gone: unknown[] = [];
  const workers = Array.from({ length: 6 }, () => work().catch((error) => gone.push(error)));
  for (let cut = 0; cut < 25 && gone.length === 0; cut += 1) {
    await cutAll();
    await sleep(60);
  }
  isRunning = false;
  await Promise.all(workers);
  assert.equal(gone.length, 0, `the process does not answer, its exit code is ${server.child.exitCode}:\n${server.log().slice(-3000)}`);
  return { replies, registrations };
}

test('C15: while every connection is cut repeatedly, each request succeeds or answers 503, and the process survives', async () => {
  const { replies, registrations } = await workThroughCuts();
  const failed = replies.filter(({ status }) => status >= 400);
  assert.ok(failed.length > 0, 'no request was hit: the cuts prove nothing');
  assert.ok(failed.length < replies.length, 'nothing got through');
  for (const reply of failed) {
    assert.deepEqual([reply.status, reply.body['code']], [503, 'unavailable'], JSON.stringify(reply.body));
    assert.deepEqual(faultsOfRefusal(reply), []);
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
  }
  assert.equal(server.child.exitCode, null, 'the process ended');
  assert.equal((await send('GET /readyz')).status, 200);
  await assertOnceEach(registrations);
});

/** Requires that a retry with the same key ends in exactly one agent, whatever the first answer was. */
async function assertOnceEach(registrations: readonly Registration[]): Promise<void> {
  // A request that was cut off holds its key until the lease ends; this ends the lease at once.
  await outsider.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
  for (const registration of registrations) {
    const retry = await register(registration);
    assert.equal(retry.status, 201, JSON.stringify(retry.body));
    if (registration.reply.status === 201) assert.deepEqual(retry.body, registration.reply.body);
    const { rowCount } = await outsider.query('select 1 from agents where name = $1', [registration.body['name']]);
    assert.equal(rowCount, 1);
  }
}

test('C15: the clock listener reconnects after the cuts and receives the next change', async () => {
  await cutAll();
  await sleep(1_500);
  await outsider.query('update market_clock set offset_ms = offset_ms + 7200000');
  await outsider.query(`select pg_notify('market_clock', '')`);
  await sleep(200);
  assert.equal((await send('GET /sandbox/clock')).body['data'].offset_seconds, 7200);
});

test('C15: a request whose Idempotency-Key is still in flight answers 409 and runs once', async () => {
  const attempt = { body: agentBody(), key: 'c15-held' };
  // The insert takes the key, then waits for this lock, and is cut off there.
  await outsider.query('begin');
  await outsider.query('lock table agents in share mode');
  const first = register(attempt).catch((error: unknown) => error);
  for (let waited = 0; waited < 50 && !(await isHeld()); waited += 1) await sleep(20);
  const second = await register(attempt);
  assert.deepEqual([second.status, second.body['code']], [409, 'idempotency_in_flight']);
  await cutAll();
  await outsider.query('rollback');
  assert.equal(((await first) as Reply).status, 503);
  await outsider.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
  // Just after the cut a request may still meet a dead connection; its answer asks for a retry.
  let last = await register(attempt);
  for (let retry = 0; retry < 20 && last.status === 503; retry += 1) {
    await sleep(100);
    last = await register(attempt);
  }
  assert.equal(last.status, 201, JSON.stringify(last.body));
});

test('C16: requests to a locked table answer 503 in time, /readyz names the lock, and both recover without a restart', async () => {
  assert.equal((await send('GET /readyz')).status, 200);
  await outsider.query('begin');
  await outsider.query('lock table agents in share mode');
  try {
    // Readiness is cached for a moment.
    await sleep(600);
    const locked = await send('GET /readyz');
    assert.deepEqual([locked.status, locked.body['data']], [503, { database: 'a table is locked' }]);
  } catch (error) {
    await outsider.query('rollback');
    throw error;
  }
  // More requests than the pool has connections.
  const attempts = Array.from({ length: 20 }, () => ({ body: agentBody(), key: randomUUID() }));
  const startedAt = performance.now();
  const replies = Promise.all(
    attempts.map(async (attempt) => ({ ...attempt, reply: await register(attempt), ms: performance.now() - startedAt })),
  );
  try {
    await sleep(600);
    const busy = await send('GET /readyz');
    assert.deepEqual([busy.status, Object.keys(busy.body['data'])], [503, ['database']]);
    for (const { reply, ms } of await replies) {
      assert.deepEqual([reply.status, reply.body['code']], [503, 'unavailable'], JSON.stringify(reply.body));
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
      assert.ok(ms < IN_TIME_MS, `answered after ${ms} ms`);
    }
  } finally {
    await outsider.query('rollback');
  }
  assert.equal((await send('GET /readyz')).status, 200);
  await assertOnceEach(await replies);
});

/** A client's wait for the pool ends before this, although the pool is smaller than the number of clients. */
const IN_TIME_MS = 16_000;

const isHeld = async () => (await outsider.query(`select 1 from idempotency_keys where key = 'c15-held'`)).rowCount === 1;
