/** Profiles of wallets and people. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { assertRecord } from './check-record.ts';
import { agentListTable, profileTable } from './spec-tables.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const put = async (wallet: TestWallet, body: Record<string, unknown>): Promise<Reply> =>
  call(market.url, 'PUT /api/profile', { body: { ...body, ...(await signed(wallet)) } });
const read = async (address: string): Promise<Envelope | null> =>
  (await call(market.url, `GET /api/profile?wallet=${address}`)).body['data'];

test('a wallet without a profile reads as null, an invalid address is 400', async () => {
  assert.equal(await read(solanaWallet().address), null);
  assert.equal((await call(market.url, 'GET /api/profile?wallet=nobody')).status, 400);
  assert.equal((await call(market.url, 'GET /api/profile')).status, 400);
});

for (const makeWallet of [solanaWallet, baseWallet]) {
  test(`a ${makeWallet.name} writes its profile by signature, and everybody can read it`, async () => {
    const wallet = makeWallet();
    const reply = await put(wallet, {
      display_name: 'Ines',
      bio: 'Hires agents.',
      avatar_url: 'https://i.example.org/a.png',
      twitter_handle: '@ines_d',
    });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assertRecord(reply.body['data'], profileTable);
    const {
      display_name,
      bio,
      avatar_url,
      twitter_handle,
      wallet: address,
    } = (await read(wallet.chain === 'base' ? wallet.address.toLowerCase() : wallet.address)) ?? {};
    assert.deepEqual([display_name, bio, avatar_url, twitter_handle], ['Ines', 'Hires agents.', 'https://i.example.org/a.png', 'ines_d']);
    assert.equal(address, wallet.address);
  });
}

test('E55: a profile field that is omitted stays, an empty one is cleared', async () => {
  const wallet = solanaWallet();
  await put(wallet, { display_name: 'Ines', bio: 'Old bio', avatar_url: 'https://i.example.org/a.png' });
  await put(wallet, { bio: 'New bio', avatar_url: '' });
  const profile = await read(wallet.address);
  assert.deepEqual([profile?.['display_name'], profile?.['bio'], profile?.['avatar_url']], ['Ines', 'New bio', null]);
});

const refused = [
  { display_name: 'x'.repeat(51) },
  { bio: 'x'.repeat(281) },
  { avatar_url: `https://i.example.org/${'x'.repeat(500)}` },
  { avatar_url: 'javascript:alert(1)' },
  { twitter_handle: 'x'.repeat(31) },
  { twitter_handle: 'a b' },
  { display_name: 7 },
  { user_id: 'usr_other' },
];

for (const body of refused) {
  test(`PUT /api/profile with ${JSON.stringify(body).slice(0, 40)} is 400`, async () => {
    assert.equal((await put(solanaWallet(), body)).status, 400);
  });
}

test('PUT /api/profile is 401 without credentials, 403 with an API key', async () => {
  assert.equal((await call(market.url, 'PUT /api/profile', { body: { bio: 'x' } })).status, 401);
  const { key } = await registerAgent(market.url);
  assert.equal((await call(market.url, 'PUT /api/profile', { key, body: { bio: 'x' } })).status, 403);
});

test('a signed-in person saves the account’s profile, and the wallets it chose show it', async () => {
  const wallet = solanaWallet();
  const key = await tokenFor(market.url, { email: 'face@example.com', wallets: [{ chain: 'solana', address: wallet.address }] });
  await call(market.url, 'POST /api/auth/user', { key });
  const reply = await call(market.url, 'PUT /api/profile', { key, body: { display_name: 'Face', bio: 'One of many.' } });
  assert.equal(reply.status, 200);
  assertRecord(reply.body['data'], profileTable);
  assert.equal(await read(wallet.address), null, 'no wallet shows unless its owner says so');
  const shown = await call(market.url, 'PUT /api/profile', { key, body: { shown_wallets: [wallet.address] } });
  assert.deepEqual([shown.status, shown.body['data'].wallet], [200, wallet.address]);
  assert.equal((await read(wallet.address))?.['display_name'], 'Face');
  assert.equal((await call(market.url, 'GET /api/auth/user', { key })).body['data'].user.bio, 'One of many.');
});

test('Y01: a profile is hidden until it is saved, and after it is removed', async () => {
  const [shown, other] = [solanaWallet(), baseWallet()];
  const wallets = [shown, other].map(({ chain, address }) => ({ chain, address }));
  const key = await tokenFor(market.url, { email: 'private@example.com', name: 'Private Person', twitter_username: 'privatex', wallets });
  const { user } = (await call(market.url, 'POST /api/auth/user', { key })).body['data'];
  assert.deepEqual([user.display_name, user.profile.public, user.profile.display_name], ['Private Person', false, null]);
  const page = () => call(market.url, `GET /api/profile/${user.username}`);
  assert.equal((await page()).status, 404);
  await call(market.url, 'PUT /api/profile', { key, body: { bio: 'Reads books.', shown_wallets: [shown.address] } });
  const { body } = await page();
  assert.deepEqual(
    [body['data'].user.display_name, body['data'].user.twitter_username, body['data'].user.bio],
    [null, null, 'Reads books.'],
  );
  assert.deepEqual(
    body['data'].wallets.map((wallet: Envelope) => wallet['address']),
    [shown.address],
  );
  assert.equal((await read(shown.address))?.['bio'], 'Reads books.');
  assert.equal(await read(other.address), null, 'a wallet that is not shown tells nothing');
  await call(market.url, 'PUT /api/profile', { key, body: { show_twitter: true } });
  assert.equal((await page()).body['data'].user.twitter_username, 'privatex');
  const foreign = await call(market.url, 'PUT /api/profile', { key, body: { shown_wallets: [solanaWallet().address] } });
  assert.deepEqual([foreign.status, foreign.body['code']], [404, 'wallet_link_not_found']);
  assert.equal((await page()).body['data'].wallets.length, 1, 'a refused list changes nothing');
  const removed = await call(market.url, 'DELETE /api/profile', { key });
  assert.deepEqual([removed.status, removed.body['data'].removed], [200, true]);
  assert.deepEqual([(await page()).status, await read(shown.address)], [404, null]);
  assert.equal((await call(market.url, 'DELETE /api/profile', { key })).body['data'].removed, false);
});

test('a wallet removes the profile that it saved', async () => {
  const wallet = solanaWallet();
  await put(wallet, { display_name: 'Short visit' });
  assert.equal((await call(market.url, 'DELETE /api/profile', { body: await signed(wallet) })).body['data'].removed, true);
  assert.equal(await read(wallet.address), null);
});

test('a linked wallet that edits its profile by signature reads the edit back', async () => {
  const wallet = solanaWallet();
  const key = await tokenFor(market.url, { email: 'linkedface@example.com', wallets: [{ chain: 'solana', address: wallet.address }] });
  await call(market.url, 'POST /api/auth/user', { key });
  const written = await put(wallet, { display_name: 'Written by wallet' });
  assert.equal(written.status, 200);
  assert.equal((await read(wallet.address))?.['display_name'], 'Written by wallet');
});

test('a profile by username shows the person and their public wallets and agents, without private fields', async () => {
  const wallet = solanaWallet();
  const key = await tokenFor(market.url, {
    email: 'public@example.com',
    name: 'Public Person',
    wallets: [{ chain: 'solana', address: wallet.address }],
  });
  const { user } = (await call(market.url, 'POST /api/auth/user', { key })).body['data'];
  const mine = await registerAgent(market.url, {}, { key });
  const byWallet = await registerOwnedAgent(market.url, wallet);
  const paused = await registerAgent(market.url, {}, { key });
  await call(market.url, `PATCH /api/agents/${paused.id}/active`, { key, body: { active: false } });
  await call(market.url, 'PUT /api/profile', { key, body: { display_name: 'Public Person', shown_wallets: [wallet.address] } });
  const { status, body } = await call(market.url, `GET /api/profile/${user.username}`);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body['data'].user).sort(), [
    'avatar_url',
    'bio',
    'created_at',
    'display_name',
    'twitter_username',
    'username',
  ]);
  assert.deepEqual(body['data'].wallets, [{ chain: 'solana', address: wallet.address, is_primary: true }]);
  assert.deepEqual(body['data'].agents.map((agent: Envelope) => agent['id']).sort(), [mine.id, byWallet.id].sort());
  assertRecord(body['data'].agents[0], agentListTable);
  for (const secret of ['public@example.com', user.idp_user_id, mine.key]) assert.ok(!JSON.stringify(body).includes(secret));
});

test('the profile of an unknown username is 404', async () => {
  assert.equal((await call(market.url, 'GET /api/profile/nobody-here')).status, 404);
});
