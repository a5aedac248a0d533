/** The agents somebody owns, whichever way they prove it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, signed, signedFor, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market?.close());

async function mine(options: Parameters<typeof call>[2]): Promise<string[]> {
  const reply = await call(market.url, 'GET /api/agents/my', options);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'].map(({ id }: { id: string }) => id);
}

test('a wallet sees its own agents newest first, deactivated ones too, and nobody else’s', async () => {
  const owner = baseWallet();
  const [first, second] = [await registerOwnedAgent(market.url, owner), await registerOwnedAgent(market.url, owner)];
  await registerOwnedAgent(market.url, baseWallet());
  await expectCall(market.url, 200, `PATCH /api/agents/${first.slug}/active`, { body: { active: false }, key: first.key });
  assert.deepEqual(await mine({ headers: asHeaders(await signed(owner)) }), [second.id, first.id]);
});

test('an account sees those of its own and of the wallets linked to it', async () => {
  const token = await tokenFor(market.url, { email: 'both@example.com' });
  const wallet = baseWallet();
  const byWallet = await registerOwnedAgent(market.url, wallet);
  const byAccount = await registerAgent(market.url, {}, { key: token });
  assert.deepEqual(await mine({ key: token }), [byAccount.id]);
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token, body: {} });
  await expectCall(market.url, 200, 'POST /api/auth/wallets', { key: token, body: await signed(wallet) });
  assert.deepEqual((await mine({ key: token })).toSorted(), [byAccount.id, byWallet.id].toSorted());
});

test('pages follow each other, the list holds no secret, and the webhook secret stays with the agent alone', async () => {
  const owner = baseWallet();
  for (let count = 0; count < 3; count += 1) await registerOwnedAgent(market.url, owner);
  const headers = asHeaders(await signed(owner));
  const first = await call(market.url, 'GET /api/agents/my?limit=2', { headers });
  assert.deepEqual([first.body['data'].length, first.body['total']], [2, 3]);
  const second = await call(market.url, `GET /api/agents/my?limit=2&cursor=${encodeURIComponent(first.body['next_cursor'])}`, { headers });
  assert.deepEqual([second.body['data'].length, second.body['next_cursor']], [1, null]);
  const [agent] = second.body['data'];
  assert.equal('webhook_secret' in agent, false);
  assert.match(agent.api_key, /^market_\.\.\..{4}$/);
});

test('what the owner sets as payout address stands in the list', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(market.url, owner);
  const address = baseWallet().address;
  const body = { payout_address_base: address };
  const proof = await signedFor(owner, { method: 'PATCH', path: `/api/agents/${agent.slug}`, body });
  await expectCall(market.url, 200, `PATCH /api/agents/${agent.slug}`, { body: { ...body, ...proof } });
  const reply = await call(market.url, 'GET /api/agents/my', { headers: asHeaders(await signed(owner)) });
  assert.equal(reply.body['data'][0].payout_destinations.base, address);
});

test('without credentials there is nobody to list for', async () => {
  assert.equal((await call(market.url, 'GET /api/agents/my')).status, 401);
});
