/** Story: two processes over one database are one market with the same state. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { type SharedMarket, startServers } from '../harness/market.ts';
import { agentBody, openSession, signed, solanaWallet, tokenFor } from '../harness/people.ts';

let shared: SharedMarket;
let left = '';
let right = '';
before(async () => {
  shared = await startServers(2);
  [left = '', right = ''] = shared.servers.map(({ url }) => url);
});
after(() => shared.close());

const both = <T>(count: number, send: (url: string) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => send(i % 2 === 0 ? left : right)));

test('an agent registered on one server is known on the other at once, and its rotated-out key fails on both', async () => {
  const agent = await registerAgent(left);
  assert.equal((await call(right, 'GET /api/agents/me', { key: agent.key })).status, 200);
  assert.equal((await call(right, 'POST /api/agents/me/rotate-key', { key: agent.key })).status, 200);
  for (const url of [left, right]) assert.equal((await call(url, 'GET /api/agents/me', { key: agent.key })).status, 401);
});

test('one name registered on both servers at once makes one agent', async () => {
  const body = agentBody();
  const replies = await both(12, (url) => call(url, 'POST /api/agents/register', { body }));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array<number>(11).fill(409)]);
});

test('one Idempotency-Key sent to both servers has one effect and one answer', async () => {
  const options = { body: agentBody(), headers: { 'idempotency-key': randomUUID() } };
  const replies = await both(8, (url) => call(url, 'POST /api/agents/register', options));
  const keys = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body['data'].api_key));
  assert.equal(keys.size, 1);
  const later = await call(right, 'POST /api/agents/register', options);
  assert.deepEqual([later.status, later.body['data'].api_key], [201, [...keys][0]]);
});

test('a single-use signature spent on one server is spent on the other', async () => {
  const wallet = solanaWallet();
  await registerOwnedAgent(left, wallet);
  const body = await signed(wallet);
  const replies = await both(10, (url) => call(url, 'POST /api/agents/recover', { body }));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array<number>(9).fill(401)]);
});

test('a wallet session opened on one server works on the other, and ends on both at once', async () => {
  const wallet = solanaWallet();
  const cookie = await openSession(left, wallet);
  const who = await call(right, 'GET /api/auth/whoami', { headers: { cookie } });
  assert.equal(who.body['data'].wallet.address, wallet.address);
  await call(right, 'DELETE /api/auth/session', { headers: { cookie } });
  assert.equal((await call(left, 'GET /api/auth/whoami', { headers: { cookie } })).body['data'].wallet, null);
});

test('a clock moved on one server is moved on the other', async () => {
  const before = Date.parse((await call(right, 'GET /sandbox/clock')).body['data'].now);
  await call(left, 'POST /sandbox/clock', { body: { advance_seconds: 86_400 } });
  const deadline = Date.now() + 3000;
  let ahead = 0;
  while (ahead < 86_000_000 && Date.now() < deadline)
    ahead = Date.parse((await call(right, 'GET /sandbox/clock')).body['data'].now) - before;
  assert.ok(ahead >= 86_400_000 && ahead < 86_410_000, `${ahead} ms`);
});

test('when one server stops, the other continues with all data', async () => {
  const token = await tokenFor(right, { email: 'survivor@example.com' });
  const agent = await registerAgent(left, {}, { headers: { 'idempotency-key': 'before-the-stop' } });
  assert.equal(await shared.servers[0]?.kill('SIGTERM'), 0);
  assert.equal((await call(right, 'GET /api/agents/me', { key: agent.key })).status, 200);
  assert.equal((await call(right, 'POST /api/auth/user', { key: token })).status, 200);
});
