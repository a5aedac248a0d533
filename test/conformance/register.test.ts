/** POST /api/agents/register: its outcomes, one by one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { assertRecord } from './check-record.ts';
import { existingAgentTable, registrationTable } from './spec-tables.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const register = (body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Reply> =>
  call(market.url, 'POST /api/agents/register', { body, headers });

test('a registration without an owner is 201 without credentials, hidden, with a note that explains how to get one', async () => {
  const reply = await register(agentBody());
  assert.equal(reply.status, 201);
  assertRecord(reply.body['data'], registrationTable);
  assert.equal(reply.body['data'].marketable, false);
  assert.match(reply.body['data'].note, /owner/);
});

for (const [chain, makeWallet] of [
  ['Solana', solanaWallet],
  ['Base', baseWallet],
] as const) {
  test(`registration with a ${chain} signature attaches its wallet as owner`, async () => {
    const wallet = makeWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    assertRecord(agent.answer, registrationTable);
    assert.equal(agent.answer['marketable'], true);
    const { body } = await call(market.url, 'GET /api/agents/me', { key: agent.key });
    assert.equal(body['data'].owner_wallet, wallet.address);
  });

  test(`registration with a ${chain} signature accepts owner_wallet alone or wallet alone`, async () => {
    const wallet = makeWallet();
    const { wallet: address, ...signature } = await signed(wallet);
    const byOwner = await registerAgent(market.url, { owner_wallet: address, ...signature });
    const byWallet = await registerAgent(market.url, await signed(wallet));
    assert.deepEqual([byOwner.answer['marketable'], byWallet.answer['marketable']], [true, true]);
  });
}

const badSignatures: readonly { title: string; body: (wallet: TestWallet) => Promise<Record<string, unknown>> }[] = [
  { title: 'made by another wallet', body: async (wallet) => ({ ...(await signed(solanaWallet())), wallet: wallet.address }) },
  { title: 'over another time', body: async (wallet) => ({ ...(await signed(wallet)), wallet_sig_ts: Date.now() - 5000 }) },
  { title: 'without its time', body: async (wallet) => ({ ...(await signed(wallet)), wallet_sig_ts: undefined }) },
  { title: 'without the signature', body: async (wallet) => ({ ...(await signed(wallet)), wallet_sig: undefined }) },
  { title: 'that is not base58', body: async (wallet) => ({ ...(await signed(wallet)), wallet_sig: '0OIl' }) },
  { title: 'that is not a string', body: async (wallet) => ({ ...(await signed(wallet)), wallet_sig: { $gt: '' } }) },
  {
    title: 'for an owner_wallet that is not wallet',
    body: async (wallet) => ({ ...(await signed(wallet)), owner_wallet: solanaWallet().address }),
  },
];

for (const { title, body } of badSignatures) {
  test(`registration with a signature ${title} is 401, and no agent is made`, async () => {
    const wanted = agentBody();
    const refused = await register({ ...wanted, owner_wallet: undefined, ...(await body(solanaWallet())) });
    assert.equal(refused.status, 401, JSON.stringify(refused.body));
    assert.equal((await register(wanted)).status, 201);
  });
}

test('registration with a sign-in token makes the person owner and attaches the linked X handle', async () => {
  const token = await tokenFor(market.url, { email: 'owner@example.com', twitter_username: 'owner_x' });
  const agent = await registerAgent(market.url, {}, { key: token });
  assert.deepEqual([agent.answer['marketable'], agent.answer['twitter_username']], [true, 'owner_x']);
  const { body } = await call(market.url, 'GET /api/auth/user', { key: token });
  const me = await call(market.url, 'GET /api/agents/me', { key: agent.key });
  assert.equal(me.body['data'].idp_user_id, body['data'].user.idp_user_id);
});

test('registration with an invalid token is 401, not an agent without owner', async () => {
  const reply = await register(agentBody(), { authorization: 'Bearer not.a.token' });
  assert.deepEqual([reply.status, reply.body['code']], [401, 'invalid_token']);
});

test('a registration paid by x402 without a payment network is 503 and registers no agent', async () => {
  const body = agentBody();
  const byQuery = await call(market.url, 'POST /api/agents/register?pay=x402', { body });
  const byBody = await register({ ...body, pay_to_register: true });
  for (const reply of [byQuery, byBody]) assert.deepEqual([reply.status, reply.body['code']], [503, 'paid_registration_unavailable']);
  assert.equal((await register(body)).status, 201);
});

test('an API key sent with a registration does not make its agent the owner of the new one', async () => {
  const { key } = await registerAgent(market.url);
  const reply = await call(market.url, 'POST /api/agents/register', { key, body: agentBody() });
  assert.deepEqual([reply.status, reply.body['data'].marketable], [201, false]);
});

test('E03: registering the same name and description within the hour is 409 duplicate_agent with summary and recovery hint', async () => {
  const first = await registerAgent(market.url);
  const reply = await register({ name: first.name.toUpperCase(), description: first.description });
  assert.equal(reply.status, 409);
  const { body } = reply;
  assert.equal(body['success'], false);
  assert.equal(body['error'], 'duplicate_agent');
  assert.equal(body['code'], 'duplicate_agent');
  assert.ok(body['message'].length > 10);
  assertRecord(body['existing_agent'], existingAgentTable);
  assert.equal(body['existing_agent'].agent_id, first.id);
  assert.equal(body['existing_agent'].api_key_hint, `market_...${first.key.slice(-4)}`);
  assert.match(body['recovery'], /\/api\/agents\/recover/);
  assert.ok(!JSON.stringify(body).includes(first.key));
});

const sameOwners: readonly { title: string; credentials: () => Promise<() => Promise<Record<string, unknown>>> }[] = [
  {
    title: 'wallet',
    credentials: async () => {
      const wallet = baseWallet();
      return () => signed(wallet);
    },
  },
  {
    title: 'account',
    credentials: async () => {
      const idp_access_token = await tokenFor(market.url, { email: 'repeat@example.com' });
      return async () => ({ idp_access_token });
    },
  },
];

for (const { title, credentials } of sameOwners) {
  test(`registering the same name by the same ${title} is 409 duplicate_agent with any description`, async () => {
    const prove = await credentials();
    const first = await registerAgent(market.url, await prove());
    const reply = await register({ name: first.name, description: 'Another description altogether.', ...(await prove()) });
    assert.deepEqual([reply.status, reply.body['error']], [409, 'duplicate_agent']);
  });
}

test('registering a name taken by another owner is 409 name_taken and reveals nothing about that agent', async () => {
  const first = await registerOwnedAgent(market.url, solanaWallet());
  const reply = await register({ name: first.name, description: 'Somebody else with another text.', ...(await signed(solanaWallet())) });
  assert.deepEqual([reply.status, reply.body['code']], [409, 'name_taken']);
  assert.ok(!('existing_agent' in reply.body));
});

test('unknown fields of a registration are refused with 400 and named', async () => {
  const reply = await register(agentBody({ descriptoin: 'typo', verified: 1 }));
  assert.equal(reply.status, 400);
  assert.match(reply.body['error'], /descriptoin/);
  assert.match(reply.body['error'], /verified/);
});

test('twenty parallel registrations of one name make exactly one agent', async () => {
  const body = agentBody();
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => register({ ...body, description: `Racer number ${i} at the start.` })),
  );
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array<number>(19).fill(409)]);
});

test('the duplicate window of a registration ends: after a day the same owner gets name_taken', async () => {
  const wallet = solanaWallet();
  const first = await registerOwnedAgent(market.url, wallet);
  await call(market.url, 'POST /sandbox/clock', { body: { advance_seconds: 24 * 3600 + 60 } });
  const reply = await register({ name: first.name, description: first.description, ...(await signed(wallet)) });
  assert.deepEqual([reply.status, reply.body['code']], [409, 'name_taken']);
});
