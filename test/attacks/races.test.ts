/** Requests repeated in parallel have one effect. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, signedFor, solanaWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ OUTBOUND_ALLOW: '127.0.0.1' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(market.url, route, options);
const atOnce = <T>(count: number, work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, n) => work(n)));
const countBy = (replies: readonly Reply[]) => {
  const counts: Record<string, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const countAgents = async (where: string, values: unknown[]) =>
  Number((await market.database.pool.query(`select count(*) from agents where ${where}`, values)).rows[0].count);

test('R10: of 30 parallel registrations of one name and its look-alikes exactly one succeeds', async () => {
  const spellings = [
    'Gannet Ledger',
    'GANNET LEDGER',
    'Gannet-Ledger',
    'gannet.ledger',
    'Gannet  Ledger',
    'G4nnet Ledger',
    'Gannet_Ledg3r',
  ];
  const replies = await atOnce(30, (n) =>
    send('POST /api/agents/register', {
      body: { name: spellings[n % spellings.length], description: `Number ${n} of a crowd of thirty.` },
    }),
  );
  assert.deepEqual(countBy(replies), { 201: 1, 409: 29 });
  assert.equal(await countAgents(`name_skeleton = (select name_skeleton from agents where id = $1)`, [winner(replies).body['data'].id]), 1);
});

test('R10: the same registration sent 20 times at once creates one agent; the others get the duplicate answer', async () => {
  const body = agentBody();
  const replies = await atOnce(20, () => send('POST /api/agents/register', { body }));
  assert.deepEqual(countBy(replies), { 201: 1, 409: 19 });
  const won = winner(replies).body['data'];
  for (const { body: refused } of replies.filter(({ status }) => status === 409)) {
    assert.equal(refused['error'], 'duplicate_agent');
    assert.equal(refused['existing_agent'].agent_id, won.agent_id);
    assert.ok(!JSON.stringify(refused).includes(won.api_key));
  }
});

const winner = (replies: readonly Reply[]): Reply => {
  const won = replies.find(({ status }) => status < 300);
  assert.ok(won, 'nobody won');
  return won;
};

test('R14: one Idempotency-Key sent 20 times at once has one effect and one answer', async () => {
  const body = agentBody();
  const headers = { 'idempotency-key': randomUUID() };
  const replies = await atOnce(20, () => send('POST /api/agents/register', { body, headers }));
  for (const reply of replies) {
    if (reply.status === 409) assert.equal(reply.body['code'], 'idempotency_in_flight');
    else assert.deepEqual([reply.status, reply.body], [201, winner(replies).body]);
  }
  const later = await send('POST /api/agents/register', { body, headers });
  assert.deepEqual([later.status, later.headers.get('idempotent-replayed'), later.body], [201, 'true', winner(replies).body]);
  assert.equal(replies.filter((r) => r.status === 201 && r.headers.get('idempotent-replayed') === null).length, 1);
  assert.equal(await countAgents('name = $1', [body.name]), 1);
});

test('R14: an Idempotency-Key reused for another request is refused and has no effect', async () => {
  const body = agentBody();
  const headers = { 'idempotency-key': 'r14-other' };
  assert.equal((await send('POST /api/agents/register', { body, headers })).status, 201);
  const other = agentBody();
  const reply = await send('POST /api/agents/register', { body: other, headers });
  assert.deepEqual([reply.status, reply.body['code']], [422, 'idempotency_key_reused']);
  assert.equal(await countAgents('name = $1', [other.name]), 0);
  const reordered = Object.fromEntries(Object.entries(body).reverse());
  assert.equal((await send('POST /api/agents/register', { body: reordered, headers })).headers.get('idempotent-replayed'), 'true');
});

test('R14: an Idempotency-Key is scoped to its caller and operation', async () => {
  const headers = { 'idempotency-key': 'r14-shared' };
  const [first, second] = [await registerAgent(market.url), await registerAgent(market.url)];
  const change = (key: string) => send('PATCH /api/agents/me', { key, headers, body: { description: 'Changed under a shared key.' } });
  const replies = [await change(first.key), await change(second.key)];
  assert.deepEqual(
    replies.map((reply) => reply.body['data'].id),
    [first.id, second.id],
  );
  assert.deepEqual(
    replies.map((reply) => reply.headers.get('idempotent-replayed')),
    [null, null],
  );
  const rotated = await send('POST /api/agents/me/rotate-key', { key: first.key, headers });
  assert.equal(rotated.status, 200);
  assert.equal(rotated.headers.get('idempotent-replayed'), null);
});

test('R14: a refused request leaves its Idempotency-Key unused, and a stored answer expires after 24 hours', async () => {
  const headers = { 'idempotency-key': 'r14-free' };
  assert.equal((await send('POST /api/agents/register', { body: { name: 'x' }, headers })).status, 400);
  const body = agentBody();
  assert.equal((await send('POST /api/agents/register', { body, headers })).status, 201);
  await send('POST /sandbox/clock', { body: { advance_seconds: 24 * 3600 - 60 } });
  assert.equal((await send('POST /api/agents/register', { body, headers })).headers.get('idempotent-replayed'), 'true');
  await send('POST /sandbox/clock', { body: { advance_seconds: 61 } });
  const anew = await send('POST /api/agents/register', { body: agentBody(), headers });
  assert.deepEqual([anew.status, anew.headers.get('idempotent-replayed')], [201, null]);
});

test('R15: setting an endpoint 20 times at once creates one webhook secret', async () => {
  const { key } = await registerAgent(market.url);
  const replies = await atOnce(20, (n) => send('PATCH /api/agents/me', { key, body: { endpoint_url: `http://127.0.0.1:9/hook-${n}` } }));
  assert.deepEqual(countBy(replies), { 200: 20 });
  const secrets = new Set(replies.map((reply) => reply.body['data'].webhook_secret));
  assert.equal(secrets.size, 1, [...secrets].join());
  assert.equal((await send('GET /api/agents/me', { key })).body['data'].webhook_secret, [...secrets][0]);
});

test('R15: when several wallets claim an ownerless agent at once, exactly one gets it', async () => {
  const agent = await registerAgent(market.url);
  const replies = await atOnce(8, async () => {
    const wallet = solanaWallet();
    const body = { owner_wallet: wallet.address };
    const proof = await signedFor(market.url, wallet, { method: 'PATCH', path: '/api/agents/me', body });
    return await send('PATCH /api/agents/me', { key: agent.key, body: { ...body, ...proof } });
  });
  assert.deepEqual(countBy(replies), { 200: 1, 403: 7 });
  const { body } = await send('GET /api/agents/me', { key: winner(replies).body['data'].api_key });
  assert.equal(body['data'].owner_wallet, winner(replies).body['data'].owner_wallet);
});

test('R15: after ten key rotations at once exactly one key works', async () => {
  const agent = await registerAgent(market.url);
  const replies = await atOnce(10, () => send('POST /api/agents/me/rotate-key', { key: agent.key }));
  const keys = replies.filter(({ status }) => status === 200).map(({ body }) => String(body['data'].api_key));
  assert.ok(keys.length >= 1);
  const alive = await Promise.all([agent.key, ...keys].map(async (key) => (await send('GET /api/agents/me', { key })).status === 200));
  assert.equal(alive.filter(Boolean).length, 1);
  assert.equal(alive[0], false, 'the replaced key still works');
});

test('R15: a person who signs in 15 times at once gets one account', async () => {
  const token = await tokenFor(market.url, { email: 'crowd@example.com', twitter_username: 'crowd_r15' });
  const replies = await atOnce(15, () => send('POST /api/auth/user', { key: token }));
  assert.deepEqual(countBy(replies), { 200: 15 });
  assert.equal(replies.filter(({ body }) => body['data'].is_new).length, 1);
  assert.equal(new Set(replies.map(({ body }) => body['data'].user.username)).size, 1);
});
