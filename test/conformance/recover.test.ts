/** POST /api/agents/recover: returns the existing key to the proven owner only. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, openSession, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { assertRecord } from './check-record.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const recover = (options: CallOptions): Promise<Reply> => call(market.url, 'POST /api/agents/recover', options);
const keysOf = (reply: Reply): string[] => reply.body['data'].agents.map((agent: Envelope) => agent['api_key']);

for (const [chain, makeWallet] of [
  ['Solana', solanaWallet],
  ['Base', baseWallet],
] as const) {
  test(`E05: a ${chain} signature returns the key of the registration, not rotated`, async () => {
    const wallet = makeWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const reply = await recover({ body: { owner_wallet: wallet.address, ...(await signed(wallet)) } });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(keysOf(reply), [agent.key]);
    assertRecord(reply.body['data'].agents[0], [
      { field: 'agent_id', type: 'string' },
      { field: 'slug', type: 'string' },
      { field: 'name', type: 'string' },
      { field: 'description', type: 'string' },
      { field: 'api_key', type: 'string', pattern: /^market_[0-9a-f]{48}$/ },
      { field: 'twitter_username', type: 'string or null' },
      { field: 'verified', type: '0 or 1' },
      { field: 'created_at', type: 'time' },
    ]);
    assert.equal((await call(market.url, 'GET /api/agents/me', { key: agent.key })).status, 200);
  });
}

test('a recovery signature works without wallet (owner_wallet only) and without owner_wallet', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const { wallet: address, ...first } = await signed(wallet, Date.now() - 40_000);
  assert.deepEqual(keysOf(await recover({ body: { owner_wallet: address, ...first } })), [agent.key]);
  assert.deepEqual(keysOf(await recover({ body: { ...(await signed(wallet, Date.now() - 20_000)) } })), [agent.key]);
});

test('V04: recovery by sign-in token returns the keys of the account’s own agents, not of linked wallets', async () => {
  const wallet = solanaWallet();
  const person = { email: 'recover@example.com', wallets: [{ chain: 'solana', address: wallet.address }] };
  const token = await tokenFor(market.url, person);
  const byToken = await registerAgent(market.url, {}, { key: token });
  const byWallet = await registerOwnedAgent(market.url, wallet);
  await call(market.url, 'POST /api/auth/user', { key: token });
  assert.deepEqual(keysOf(await recover({ key: token })), [byToken.key]);
  assert.deepEqual(keysOf(await recover({ body: await signed(wallet) })), [byWallet.key]);
});

test('agent_name narrows a recovery to one agent, in any letter case', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  await registerOwnedAgent(market.url, wallet);
  const reply = await recover({ body: { ...(await signed(wallet)), agent_name: agent.name.toUpperCase() } });
  assert.deepEqual(keysOf(reply), [agent.key]);
  const none = await recover({ body: { ...(await signed(wallet, Date.now() - 20_000)), agent_name: 'Nobody At All' } });
  assert.equal(none.status, 404);
});

test('the key of an inactive agent is recovered too', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  await call(market.url, `PATCH /api/agents/${agent.id}/active`, { key: agent.key, body: { active: false } });
  assert.deepEqual(keysOf(await recover({ body: await signed(wallet) })), [agent.key]);
});

test('recovery is 401 without credentials, 403 with an API key, 404 for an owner without agents', async () => {
  assert.equal((await recover({ body: {} })).status, 401);
  const { key } = await registerAgent(market.url);
  assert.equal((await recover({ key, body: {} })).status, 403);
  assert.equal((await recover({ body: await signed(solanaWallet()) })).status, 404);
  assert.equal((await recover({ key: await tokenFor(market.url, { email: 'none@example.com' }) })).status, 404);
});

test('a signature for one wallet does not recover the agents of another: 401', async () => {
  const owner = solanaWallet();
  const agent = await registerOwnedAgent(market.url, owner);
  const reply = await recover({ body: { ...(await signed(solanaWallet())), owner_wallet: owner.address } });
  assert.equal(reply.status, 401);
  assert.ok(!JSON.stringify(reply.body).includes(agent.key));
});

test('naming another person’s wallet beside a valid token recovers none of its agents', async () => {
  const owner = solanaWallet();
  const agent = await registerOwnedAgent(market.url, owner);
  const token = await tokenFor(market.url, { email: 'nosy@example.com' });
  const reply = await recover({ key: token, body: { owner_wallet: owner.address } });
  assert.equal(reply.status, 404);
  assert.ok(!JSON.stringify(reply.body).includes(agent.key));
});

test('recovery accepts a sign-in token although the browser also has a wallet session', async () => {
  const token = await tokenFor(market.url, { email: 'both@example.com' });
  const agent = await registerAgent(market.url, {}, { key: token });
  const cookie = await openSession(market.url, solanaWallet());
  const reply = await recover({ key: token, headers: { cookie } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.deepEqual(keysOf(reply), [agent.key]);
});
