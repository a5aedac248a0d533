/** Wallet sessions: one signature gives a cookie for seven days, valid for ordinary calls only. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { type CallOptions, call, cookieOf, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agreed, baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';

const DAY = 24 * 3600;

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

async function open(wallet: TestWallet): Promise<{ reply: Reply; cookie: string }> {
  const reply = await call(market.url, 'POST /api/auth/session', { body: await agreed(market.url, wallet, { action: 'session' }) });
  return { reply, cookie: cookieOf(reply) };
}
const walletOf = async (cookie: string): Promise<unknown> =>
  (await call(market.url, 'GET /api/auth/whoami', { headers: { cookie } })).body['data'].wallet;
const put = (options: CallOptions): Promise<Reply> => call(market.url, 'PUT /api/profile', options);
const advance = (seconds: number): Promise<Reply> => call(market.url, 'POST /sandbox/clock', { body: { advance_seconds: seconds } });

for (const makeWallet of [solanaWallet, baseWallet]) {
  test(`a ${makeWallet.name} exchanges a signature for a session that acts as the wallet`, async () => {
    const wallet = makeWallet();
    const { reply, cookie } = await open(wallet);
    assert.equal(reply.status, 200);
    assert.deepEqual([reply.body['data'].wallet, reply.body['data'].chain], [wallet.address, wallet.chain]);
    assert.match(reply.body['data'].expires_at, /^\d{4}-\d{2}-\d{2}T.*Z$/);
    assert.deepEqual(await walletOf(cookie), { chain: wallet.chain, address: wallet.address, proof: 'session' });
    assert.equal((await put({ headers: { cookie }, body: { bio: 'by session' } })).body['data'].wallet, wallet.address);
  });
}

test('the session cookie is HttpOnly, SameSite=Lax, for the whole site, for seven days, and random', async () => {
  const { reply, cookie } = await open(solanaWallet());
  const header = reply.headers.get('set-cookie') ?? '';
  assert.match(header, /^market_session=[A-Za-z0-9_-]{43};/);
  for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/', `Max-Age=${7 * DAY}`]) assert.ok(header.includes(attribute), attribute);
  const other = await open(solanaWallet());
  assert.notEqual(other.cookie, cookie);
});

test('a session cannot create another session: 401', async () => {
  const { cookie } = await open(solanaWallet());
  assert.equal((await call(market.url, 'POST /api/auth/session', { headers: { cookie }, body: {} })).status, 401);
});

test('a valid signature takes precedence over the session cookie; a wrong one is 401 despite it', async () => {
  const [one, two] = [solanaWallet(), solanaWallet()];
  const { cookie } = await open(one);
  const reply = await put({ headers: { cookie }, body: { bio: 'signed', ...(await signed(two)) } });
  assert.equal(reply.body['data'].wallet, two.address);
  const wrong = { ...(await signed(two)), wallet_sig: (await signed(one)).wallet_sig };
  assert.equal((await put({ headers: { cookie }, body: wrong })).status, 401);
});

test('the owner edits an agent by session, but not its payout', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const { cookie } = await open(wallet);
  const edit = (body: Record<string, unknown>) => call(market.url, `PATCH /api/agents/${agent.id}`, { headers: { cookie }, body });
  assert.equal((await edit({ description: 'Edited through a session.' })).status, 200);
  const payout = await edit({ payout_wallet: solanaWallet().address });
  assert.deepEqual([payout.status, payout.body['code']], [401, 'custody_signature_required']);
});

test('ending a session takes effect at once, and is 200 also without a session', async () => {
  const { cookie } = await open(solanaWallet());
  const ended = await call(market.url, 'DELETE /api/auth/session', { headers: { cookie } });
  assert.deepEqual([ended.status, ended.body['data']], [200, { ended: true }]);
  assert.match(ended.headers.get('set-cookie') ?? '', /^market_session=;.*Max-Age=0/);
  assert.equal(await walletOf(cookie), null);
  assert.equal((await put({ headers: { cookie }, body: { bio: 'x' } })).status, 401);
  const again = await call(market.url, 'DELETE /api/auth/session', { headers: { cookie } });
  assert.deepEqual([again.status, again.body['data']], [200, { ended: false }]);
});

test('another site cannot change anything with a cookie: 403, for session and token cookie', async () => {
  const { cookie } = await open(solanaWallet());
  const token = await tokenFor(market.url, { email: 'victim@example.com' });
  for (const stolen of [cookie, `idp-token=${token}`]) {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as Record<string, string>[]) {
      const reply = await put({ headers: { ...headers, cookie: stolen }, body: { bio: 'owned' } });
      assert.deepEqual([reply.status, reply.body['code']], [403, 'cross_site_request']);
    }
    assert.equal((await put({ headers: { origin: market.url, cookie: stolen }, body: { bio: 'mine' } })).status, 200);
  }
});

test('another site may call with explicit credentials, and CORS forbids it cookies', async () => {
  const reply = await put({ headers: { origin: 'https://partner.example' }, body: { bio: 'signed', ...(await signed(solanaWallet())) } });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get('access-control-allow-origin'), '*');
  assert.equal(reply.headers.get('access-control-allow-credentials'), null);
});

test('a session ends seven days after its last use, to the second', async () => {
  const { cookie } = await open(solanaWallet());
  await advance(7 * DAY - 60);
  assert.notEqual(await walletOf(cookie), null);
  await advance(7 * DAY + 60);
  assert.equal(await walletOf(cookie), null);
  const unused = await open(solanaWallet());
  await advance(7 * DAY + 1);
  assert.equal(await walletOf(unused.cookie), null);
});

test('V02: a session ends within 30 days, however much it is used', async () => {
  const { cookie } = await open(solanaWallet());
  for (const _ of [6, 12, 18, 24]) {
    await advance(6 * DAY);
    assert.notEqual(await walletOf(cookie), null);
  }
  await advance(6 * DAY);
  assert.equal(await walletOf(cookie), null);
});

test('a session renewed by use is renewed in the browser too: the answer sets the cookie again', async () => {
  const { cookie } = await open(solanaWallet());
  await advance(2 * DAY);
  const reply = await call(market.url, 'GET /api/auth/whoami', { headers: { cookie } });
  assert.notEqual(reply.body['data'].wallet, null);
  assert.match(reply.headers.get('set-cookie') ?? '', new RegExp(`^${cookie};.*Max-Age=${7 * DAY}`));
});
