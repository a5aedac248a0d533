/** The User table, sign-in, linked wallets and usernames. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agreed, baseWallet, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { assertRecord } from './check-record.ts';
import { linkedWalletTable, signInTable, userTable } from './spec-tables.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const token = (person: Record<string, unknown>): Promise<string> => tokenFor(market.url, person);
const signIn = (key: string): Promise<Reply> => call(market.url, 'POST /api/auth/user', { key });
const patch = (key: string, body: Record<string, unknown>): Promise<Reply> => call(market.url, 'PATCH /api/auth/user', { key, body });

let people = 0;
const somebody = (more: Record<string, unknown> = {}): Promise<string> => {
  people += 1;
  return token({ email: `person${people}@example.com`, ...more });
};

describe('signing in', () => {
  test('E01: sign-in answers the User table, wallets, is_new and backfilled', async () => {
    const wallet = solanaWallet();
    const key = await somebody({ name: 'Ines Duarte', twitter_username: 'InesD', wallets: [{ chain: 'solana', address: wallet.address }] });
    const { status, body } = await signIn(key);
    assert.equal(status, 200);
    assertRecord(body['data'], signInTable);
    assertRecord(body['data'].user, userTable);
    assertRecord(body['data'].wallets[0], linkedWalletTable);
    const { user } = body['data'];
    assert.deepEqual([user.display_name, user.twitter_username], ['Ines Duarte', 'inesd']);
    assert.match(user.username, /^user_[a-z0-9]{10}$/, 'nothing of the person is in it');
    assert.equal(user.google_email, `person${people}@example.com`);
    assert.equal(body['data'].wallets[0].user_id, user.idp_user_id);
  });

  test('sign-in answers is_new true only for the call that created the account', async () => {
    const key = await somebody();
    assert.equal((await signIn(key)).body['data'].is_new, true);
    assert.equal((await signIn(key)).body['data'].is_new, false);
    assert.equal((await call(market.url, 'GET /api/auth/user', { key })).body['data'].is_new, false);
  });

  test('ten parallel first sign-ins make one account', async () => {
    const key = await somebody();
    const replies = await Promise.all(Array.from({ length: 10 }, () => signIn(key)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(replies.filter(({ body }) => body['data'].is_new).length, 1);
  });

  test('sign-in keeps the fields the person set and refreshes those from the provider', async () => {
    const email = 'writer@example.com';
    const first = await token({ email, name: 'Writer', twitter_username: 'old_handle' });
    await signIn(first);
    await patch(first, { display_name: 'My Own Name', bio: 'My own words', username: 'my-own-name' });
    const { body } = await signIn(await token({ email, name: 'Provider Name', twitter_username: 'new_handle' }));
    const { user } = body['data'];
    assert.deepEqual([user.display_name, user.bio, user.username], ['My Own Name', 'My own words', 'my-own-name']);
    assert.equal(user.twitter_username, 'new_handle');
  });

  test('reading an account that does not exist yet is 404', async () => {
    const reply = await call(market.url, 'GET /api/auth/user', { key: await somebody() });
    assert.deepEqual([reply.status, reply.body['code']], [404, 'user_not_found']);
  });

  test('sign-in with a changed X handle updates the owned agents that carry the old one', async () => {
    const email = 'mover@example.com';
    const agent = await registerAgent(market.url, {}, { key: await token({ email, twitter_username: 'mover_old' }) });
    await signIn(await token({ email, twitter_username: 'mover_new' }));
    const { body } = await call(market.url, 'GET /api/agents/me', { key: agent.key });
    assert.equal(body['data'].twitter_username, 'mover_new');
  });

  test('sign-in cuts a long name without splitting a character', async () => {
    const { body } = await signIn(await somebody({ name: `${'n'.repeat(29)}🦊 Fox` }));
    assert.ok(!body['data'].user.display_name.includes('\ufffd'), body['data'].user.display_name);
    assert.ok(body['data'].user.display_name.startsWith('n'.repeat(29)));
  });
});

describe('wallets', () => {
  const link = async (key: string, wallet = solanaWallet()): Promise<Reply> =>
    call(market.url, 'POST /api/auth/wallets', { key, body: await agreed(market.url, wallet, { action: 'link_wallet' }, key) });

  test('wallets named by the provider are linked at sign-in, and backfilled counts the added agents', async () => {
    const [one, two] = [solanaWallet(), baseWallet()];
    await registerOwnedAgent(market.url, one);
    await registerOwnedAgent(market.url, two);
    await registerOwnedAgent(market.url, two);
    const wallets = [one, two].map(({ chain, address }) => ({ chain, address }));
    const key = await somebody({ wallets });
    const first = await signIn(key);
    assert.deepEqual(first.body['data'].wallets.map((w: Envelope) => w['address']).sort(), [one.address, two.address].sort());
    assert.equal(first.body['data'].backfilled.agents, 3);
    assert.equal((await signIn(key)).body['data'].backfilled.agents, 0);
  });

  test('a wallet linked to another account stays there', async () => {
    const wallet = solanaWallet();
    const first = await somebody();
    assert.equal((await link(first, wallet)).status, 200);
    const second = await somebody({ wallets: [{ chain: 'solana', address: wallet.address }] });
    assert.deepEqual((await signIn(second)).body['data'].wallets, []);
    const forced = await call(market.url, 'POST /api/auth/wallets', {
      key: second,
      body: await agreed(market.url, wallet, { action: 'link_wallet' }, second),
    });
    assert.deepEqual([forced.status, forced.body['code']], [409, 'wallet_linked_elsewhere']);
  });

  test('linking requires token and signature: a token alone is 401, a signature alone is 403', async () => {
    const key = await somebody();
    assert.equal((await call(market.url, 'POST /api/auth/wallets', { key })).status, 401);
    const signatureOnly = await call(market.url, 'POST /api/auth/wallets', { body: await signed(solanaWallet()) });
    assert.equal(signatureOnly.status, 403);
    const wallet = baseWallet();
    const linked = await call(market.url, 'POST /api/auth/wallets', {
      key,
      body: await agreed(market.url, wallet, { action: 'link_wallet' }, key),
    });
    assert.equal(linked.status, 200);
    assertRecord(linked.body['data'].wallet, linkedWalletTable);
    assert.equal(linked.body['data'].wallet.address, wallet.address);
  });

  test('the first linked wallet of a chain is primary; when it is unlinked, the next becomes primary', async () => {
    const key = await somebody();
    const first = (await link(key)).body['data'].wallet;
    const second = (await link(key)).body['data'].wallet;
    assert.deepEqual([first.is_primary, second.is_primary], [1, 0]);
    const gone = await call(market.url, `DELETE /api/auth/wallets/${first.id}`, { key });
    assert.deepEqual(gone.body['data'], { id: first.id });
    const { body } = await call(market.url, 'GET /api/auth/user', { key });
    assert.deepEqual(
      body['data'].wallets.map((w: Envelope) => [w['id'], w['is_primary']]),
      [[second.id, 1]],
    );
  });

  test('another account’s wallet cannot be unlinked: 404', async () => {
    const { id } = (await link(await somebody())).body['data'].wallet;
    assert.equal((await call(market.url, `DELETE /api/auth/wallets/${id}`, { key: await somebody() })).status, 404);
  });
});

describe('usernames and account fields', () => {
  const accepted = [
    { display_name: 'x'.repeat(30) },
    { bio: 'b'.repeat(280) },
    { bio: '' },
    { username: 'abc' },
    { avatar_url: 'https://i.example.org/a.png' },
    { avatar_url: null },
  ];
  for (const body of accepted) {
    test(`PATCH /api/auth/user accepts ${JSON.stringify(body).slice(0, 50)}`, async () => {
      const key = await somebody();
      await signIn(key);
      const reply = await patch(key, body);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const [[field, value] = ['', null]] = Object.entries(body);
      assert.equal(reply.body['data'].user[field], value === '' ? null : value);
    });
  }

  const refused = [
    { display_name: 'x'.repeat(31) },
    { bio: 'b'.repeat(281) },
    { username: 'ab' },
    { username: 'x'.repeat(31) },
    { username: 'Upper' },
    { username: '-edge' },
    { username: 'sp ace' },
    { avatar_url: 'javascript:alert(1)' },
    { idp_user_id: 'usr_other' },
    { twitter_username: 'stolen' },
    { google_email: 'admin@example.com' },
  ];
  for (const body of refused) {
    test(`PATCH /api/auth/user refuses ${JSON.stringify(body).slice(0, 50)} with 400`, async () => {
      const key = await somebody();
      await signIn(key);
      assert.equal((await patch(key, body)).status, 400);
    });
  }

  test('PATCH /api/auth/user turns a line break in display_name into a space', async () => {
    const key = await somebody();
    await signIn(key);
    assert.equal((await patch(key, { display_name: 'Two\nLines' })).body['data'].user.display_name, 'Two Lines');
  });

  test('a taken or reserved username is 409, and check-username reports it beforehand', async () => {
    const [one, two] = [await somebody(), await somebody()];
    await signIn(one);
    await signIn(two);
    const ask = async (u: string) => (await call(market.url, `GET /api/auth/check-username?u=${u}`)).body['data'];
    assert.deepEqual(await ask('wanted-name'), { available: true, reason: null });
    assert.equal((await patch(one, { username: 'wanted-name' })).status, 200);
    assert.deepEqual(await ask('wanted-name'), { available: false, reason: 'taken' });
    assert.deepEqual([(await patch(two, { username: 'wanted-name' })).status], [409]);
    for (const reserved of ['admin', 'mercato', 'support', 'api']) {
      assert.deepEqual(await ask(reserved), { available: false, reason: 'reserved' }, reserved);
      assert.equal((await patch(two, { username: reserved })).status, 409, reserved);
    }
    assert.deepEqual(await ask('No'), { available: false, reason: 'invalid' });
  });

  test('people with one X handle get different usernames, and nobody is assigned the bare handle', async () => {
    const names = [];
    for (let i = 0; i < 3; i++) names.push((await signIn(await somebody({ twitter_username: 'samehandle' }))).body['data'].user.username);
    assert.equal(new Set(names).size, 3);
    assert.ok(!names.join().includes('samehandle'));
  });

  test('people with colliding usernames who sign in in parallel all get an account', async () => {
    for (let round = 0; round < 6; round++) {
      const handle = `rush${'abcdef'[round]}`;
      await signIn(await somebody({ twitter_username: handle }));
      const tokens = await Promise.all(
        [handle, handle, `${handle}2`, `${handle}3`].map((twitter_username) => somebody({ twitter_username })),
      );
      const replies = await Promise.all(tokens.map(signIn));
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      assert.equal(new Set(replies.map(({ body }) => body['data'].user.username)).size, 4);
    }
  });

  test('the service’s own name is never assigned as username, also when registering an agent creates the account', async () => {
    const bySignIn = await signIn(await token({ email: 'brand1@example.com', twitter_username: 'mercato' }));
    assert.notEqual(bySignIn.body['data'].user.username, 'mercato');
    const key = await token({ email: 'brand2@example.com', twitter_username: 'mercato' });
    await registerAgent(market.url, {}, { key });
    const { body } = await call(market.url, 'GET /api/auth/user', { key });
    assert.notEqual(body['data'].user.username, 'mercato');
  });
});
