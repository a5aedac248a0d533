/** Two server processes on one database are one market. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { rateLimitTable } from '@market/contract';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { agentBody, openSession, signed, signedFor, solanaWallet, tokenFor } from '../harness/people.ts';
import { FAMILY_HOST, openFamily, type ProcessFamily } from './market-processes.ts';

let family: ProcessFamily;
let one: string;
let two: string;
before(async () => {
  family = await openFamily();
  const settings = { RATE_LIMIT_SCALE: '10', JOBS: 'off' };
  [one, two] = (await Promise.all([family.start(settings), family.start(settings)])).map(({ url }) => url) as [string, string];
});
after(() => family.close());
beforeEach(() => family.database.query('delete from rate_limit_windows'));

const either = (n: number) => (n % 2 === 0 ? one : two);
const atOnce = <T>(count: number, work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, n) => work(n)));
const countAgents = async (name: string) => (await family.database.query('select 1 from agents where name = $1', [name])).rowCount;

test('R11: of 200 parallel requests to two processes exactly the limit passes, and the headers count down without a gap', async () => {
  const limit = rateLimitTable.registerAgent.requests * 10;
  const replies = await atOnce(200, (n) => call(either(n), 'POST /api/agents/register', { body: { name: '' } }));
  const passed = replies.filter(({ status }) => status === 400);
  const refused = replies.filter(({ status }) => status === 429);
  assert.deepEqual([passed.length, refused.length], [limit, 200 - limit]);
  const remaining = passed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining'))).sort((a, b) => a - b);
  assert.deepEqual(
    remaining,
    Array.from({ length: limit }, (_, n) => n),
  );
  for (const { headers } of refused) {
    assert.deepEqual([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')], [String(limit), '0']);
    assert.ok(Number(headers.get('retry-after')) > 3_500);
  }
  assert.equal(new Set(replies.map(({ headers }) => headers.get('x-ratelimit-reset'))).size, 1, 'one window has one end');
});

test('R14: one Idempotency-Key sent to two processes at once has one effect; each answer is the result or 409', async () => {
  for (let round = 0; round < 3; round += 1) {
    const body = agentBody();
    const headers = { 'idempotency-key': randomUUID() };
    const replies = await atOnce(10, (n) => call(either(n), 'POST /api/agents/register', { body, headers }));
    const answers = replies.filter(({ status }) => status === 201);
    assert.ok(answers.length >= 1);
    for (const reply of replies) {
      if (reply.status === 201) assert.deepEqual(reply.body, answers[0]?.body);
      else assert.deepEqual([reply.status, reply.body['code']], [409, 'idempotency_in_flight']);
    }
    for (const url of [one, two]) {
      const replay = await call(url, 'POST /api/agents/register', { body, headers });
      assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed'), replay.body], [201, 'true', answers[0]?.body]);
    }
    assert.equal(await countAgents(body.name), 1);
  }
});

test('R14: an Idempotency-Key used at one process is refused for another body at the other, and is unused for another caller', async () => {
  const headers = { 'idempotency-key': 'across' };
  const body = agentBody();
  const other = agentBody();
  assert.equal((await call(one, 'POST /api/agents/register', { body, headers })).status, 201);
  const reused = await call(two, 'POST /api/agents/register', { body: other, headers });
  assert.deepEqual([reused.status, reused.body['code']], [422, 'idempotency_key_reused']);
  const token = await tokenFor(one, { email: 'across@example.com' });
  const separate = await call(two, 'POST /api/agents/register', { body: other, headers, key: token });
  assert.deepEqual([separate.status, separate.headers.get('idempotent-replayed')], [201, null]);
});

test('R14: an answer stored under an Idempotency-Key expires after 24 hours at both processes', async () => {
  const headers = { 'idempotency-key': 'a-day' };
  const body = agentBody();
  await call(one, 'POST /api/agents/register', { body, headers });
  await call(one, 'POST /sandbox/clock', { body: { advance_seconds: 24 * 3600 - 30 } });
  assert.equal((await call(two, 'POST /api/agents/register', { body, headers })).headers.get('idempotent-replayed'), 'true');
  await call(one, 'POST /sandbox/clock', { body: { advance_seconds: 31 } });
  const anew = await call(two, 'POST /api/agents/register', { body: agentBody(), headers });
  assert.deepEqual([anew.status, anew.headers.get('idempotent-replayed')], [201, null]);
});

test('R10: one name registered at both processes at once becomes one agent', async () => {
  const body = agentBody();
  const replies = await atOnce(12, (n) => call(either(n), 'POST /api/agents/register', { body }));
  assert.deepEqual(statusesOf(replies), [201, ...Array<number>(11).fill(409)]);
  assert.equal(await countAgents(body.name), 1);
});

const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort((a, b) => a - b);

test('the sandbox clock moved at one process is visible at the other with the next request', async () => {
  for (let round = 0; round < 30; round += 1) {
    const moved = await call(either(round), 'POST /sandbox/clock', { body: { advance_seconds: 3600 } });
    const seen = await call(either(round + 1), 'GET /sandbox/clock');
    assert.equal(seen.body['data'].offset_seconds, moved.body['data'].offset_seconds, `round ${round}`);
    const drift = Date.parse(seen.body['data'].now) - Date.parse(moved.body['data'].now);
    assert.ok(Math.abs(drift) < 2_000, `${drift} ms`);
  }
});

test('keys, tokens and sessions issued by one process are valid at the other until revoked at either', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(one, wallet);
  assert.equal((await call(two, 'GET /api/agents/me', { key: agent.key })).body['data'].id, agent.id);
  const token = await tokenFor(one, { email: 'both@example.com' });
  assert.equal((await call(two, 'POST /api/auth/user', { key: token })).status, 200);
  const cookie = await openSession(one, wallet);
  const headers = { cookie };
  assert.equal((await call(two, 'GET /api/auth/whoami', { headers })).body['data'].wallet.address, wallet.address);
  await call(two, 'DELETE /api/auth/session', { headers });
  assert.equal((await call(one, 'GET /api/auth/whoami', { headers })).body['data'].wallet, null);
  const proof = await signedFor(`http://${FAMILY_HOST}`, wallet, { method: 'POST', path: '/api/agents/me/rotate-key', body: {} });
  const rotated = await call(two, 'POST /api/agents/me/rotate-key', { key: agent.key, body: proof });
  assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
  assert.equal((await call(one, 'GET /api/agents/me', { key: agent.key })).status, 401);
  assert.equal((await call(one, 'GET /api/agents/me', { key: rotated.body['data'].api_key })).status, 200);
});

test('a signature spent at one process is spent at the other', async () => {
  const wallet = solanaWallet();
  await registerOwnedAgent(one, wallet);
  const body = await signed(wallet, Date.now() - 1_000);
  const replies = await atOnce(6, (n) => call(either(n), 'POST /api/agents/recover', { body }));
  assert.deepEqual(statusesOf(replies), [200, 401, 401, 401, 401, 401]);
});

test('an agent deactivated at one process is inactive at the other at once', async () => {
  const agent = await registerAgent(one);
  await call(one, `PATCH /api/agents/${agent.id}/active`, { key: agent.key, body: { active: false } });
  assert.equal((await call(two, 'GET /api/agents/me', { key: agent.key })).status, 401);
  assert.equal((await call(two, `GET /api/agents/${agent.id}`)).status, 404);
});
