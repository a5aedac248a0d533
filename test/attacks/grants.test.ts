/** Policies, connections and consent are grants: only the account or wallet itself gives them, never a link or an ordinary signature. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, cookieOf, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { allow, authorizePath, Browser, beginConsent, connectFrom, follow, newPkce, REDIRECT, registerProgram } from '../harness/oauth.ts';
import { agreed, asHeaders, baseWallet, signed, signedFor, type TestWallet, tokenFor } from '../harness/people.ts';

suite('grants', () => {
  let market: TestMarket;
  let ines: string;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
    ines = await tokenFor(market.url, { email: 'ines@example.com' });
  });
  after(() => market.close());

  const codeOf = ({ status, body }: Reply) => [status, body['code'] ?? null];

  async function sessionOf(wallet: TestWallet): Promise<string> {
    return cookieOf(await call(market.url, 'POST /api/auth/session', { body: await agreed(market.url, wallet, { action: 'session' }) }));
  }

  function browserWith(cookie: string): Browser {
    const [name = '', value = ''] = cookie.split('=');
    return new Browser(market.url, { [name]: value });
  }

  /** A wallet with an agent, and an account that the wallet is linked to. */
  async function linkedOwner() {
    const wallet = baseWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const key = await tokenFor(market.url, { email: `${wallet.address}@example.com` });
    await expectCall(market.url, 200, 'POST /api/auth/wallets', {
      key,
      body: await agreed(market.url, wallet, { action: 'link_wallet' }, key),
    });
    return { wallet, agent, key };
  }

  test('V21: an ordinary signature or a linked account freezes an agent, but neither sets its policy nor lifts the freeze', async () => {
    const { wallet, agent, key } = await linkedOwner();
    const path = `/api/spending/policies/agent/${agent.id}` as const;
    const ordinary = async () => ({ headers: asHeaders(await signed(wallet)) });
    assert.deepEqual(codeOf(await call(market.url, `PUT ${path}`, { ...(await ordinary()), body: { per_day_usd: '9000.00' } })), [
      401,
      'custody_signature_required',
    ]);
    assert.deepEqual(codeOf(await call(market.url, `PUT ${path}`, { key, body: { per_day_usd: '9000.00' } })), [
      403,
      'owner_proof_required',
    ]);
    for (const by of [{ key }, await ordinary()]) {
      assert.equal((await call(market.url, `PATCH ${path}`, { ...by, body: { frozen: true } })).status, 200);
    }
    assert.deepEqual(codeOf(await call(market.url, `PATCH ${path}`, { ...(await ordinary()), body: { frozen: false } })), [
      401,
      'custody_signature_required',
    ]);
    assert.deepEqual(codeOf(await call(market.url, `PATCH ${path}`, { key, body: { frozen: false } })), [403, 'owner_proof_required']);
    const cookie = await sessionOf(wallet);
    const lifted = await browserWith(cookie).send(`PATCH ${path}`, { body: { frozen: false } });
    assert.deepEqual([lifted.status, lifted.body['data'].frozen], [200, false]);
  });

  test('V21: a custody signature sets a policy once', async () => {
    const { wallet, agent } = await linkedOwner();
    const path = `/api/spending/policies/agent/${agent.id}`;
    const body = { per_day_usd: '2.00' };
    const headers = asHeaders(await signedFor(market.url, wallet, { method: 'PUT', path, body }));
    assert.equal((await call(market.url, `PUT ${path as `/${string}`}`, { headers, body })).status, 200);
    assert.deepEqual(codeOf(await call(market.url, `PUT ${path as `/${string}`}`, { headers, body })), [401, 'signature_already_used']);
  });

  test('V21: a linked account does not set the policy of the wallet, only its own', async () => {
    const { wallet, key } = await linkedOwner();
    const body = { per_day_usd: '5.00' };
    const ofWallet = await call(market.url, `PUT /api/spending/policies/account/wallet:${wallet.address}`, { key, body });
    assert.deepEqual(codeOf(ofWallet), [403, 'owner_proof_required']);
    const { user } = await expectCall(market.url, 200, 'GET /api/auth/whoami', { key });
    await expectCall(market.url, 200, `PUT /api/spending/policies/account/user:${user.idp_user_id}`, { key, body });
    const agent = await registerAgent(market.url, {}, { key });
    await expectCall(market.url, 200, `PUT /api/spending/policies/agent/${agent.id}`, { key, body });
  });

  test('V21: a linked account sees and disconnects the program of a wallet, and changes nothing about it', async () => {
    const { wallet, key } = await linkedOwner();
    const browser = browserWith(await sessionOf(wallet));
    const { connectionId } = await connectFrom(browser, market.url, { scope: 'read hire', daily_limit_usd: '2.00' });
    const path = `/api/connections/${connectionId}` as const;
    const raise = { daily_limit_usd: '9000.00' };
    assert.deepEqual(codeOf(await call(market.url, `PATCH ${path}`, { key, body: raise })), [403, 'owner_proof_required']);
    assert.deepEqual(codeOf(await call(market.url, `PUT /api/spending/policies/connection/${connectionId}`, { key, body: {} })), [
      403,
      'owner_proof_required',
    ]);
    const ordinary = await call(market.url, `PATCH ${path}`, { headers: asHeaders(await signed(wallet)), body: raise });
    assert.deepEqual(codeOf(ordinary), [401, 'custody_signature_required']);
    assert.equal((await browser.send(`PATCH ${path}`, { body: { daily_limit_usd: '3.00' } })).status, 200);
    await expectCall(market.url, 200, `DELETE ${path}`, { key });
  });

  test('V21: a wallet session allows Money and Custody in its first 15 minutes only; one opened by an ordinary signature never does', async () => {
    const cookie = await sessionOf(baseWallet());
    const browser = browserWith(cookie);
    const wish = async () => ({
      clientId: await registerProgram(market.url),
      challenge: newPkce().challenge,
      more: { scope: 'read money' },
    });
    await allow(browser, await beginConsent(browser, await wish()), { scopes: ['read', 'money', 'custody'] });

    await market.database.pool.query("update sessions set created_at = created_at - interval '16 minutes'");
    const consent = await beginConsent(browser, await wish());
    const { data } = (await browser.send(`GET ${consent}/details`)).body;
    assert.deepEqual(data.sign_in_again_for, ['money', 'custody']);
    const decide = async (scopes: string[]) =>
      await browser.send(`POST ${consent}/decision`, {
        body: { proof: data.proof, allow: true, scopes, agent_id: null, daily_limit_usd: null },
      });
    const refused = await decide(['read', 'money']);
    assert.deepEqual(codeOf(refused), [401, 'sign_in_again']);
    assert.match(refused.body['error'], /Sign in with your wallet again to allow “Money”\./);
    await market.database.pool.query('update sessions set by_action = false');
    assert.deepEqual(codeOf(await decide(['read'])), [401, 'sign_in_again']);
    await market.database.pool.query('update sessions set by_action = true');
    assert.equal((await decide(['read', 'hire', 'work'])).status, 200);
  });

  test('V21: an account can allow a program Money and Custody', async () => {
    const browser = new Browser(market.url, { 'idp-token': ines });
    const wish = { clientId: await registerProgram(market.url), challenge: newPkce().challenge, more: { scope: 'read money custody' } };
    assert.ok((await allow(browser, await beginConsent(browser, wish))).searchParams.get('code'));
  });

  const mistakes: Record<string, string>[] = [
    { code_challenge: '', code_challenge_method: '' },
    { response_type: 'token' },
    { resource: 'https://evil.example/mcp' },
    { prompt: 'none' },
    { response_mode: 'form_post', prompt: 'none' },
    { response_mode: 'fragment', prompt: 'none' },
    { request: 'x' },
  ];

  test('V18: before anybody consented to a program, its mistakes are answered on our page, without a redirect', async () => {
    const clientId = await registerProgram(market.url);
    for (const more of mistakes) {
      for (const accept of ['application/json', 'text/html']) {
        const reply = await call(market.url, `GET ${authorizePath({ clientId, challenge: newPkce().challenge, more })}`, {
          headers: { accept },
        });
        assert.deepEqual([reply.status, reply.headers.get('location')], [400, null], JSON.stringify(more));
        assert.ok(!JSON.stringify(reply.body).includes(new URL(REDIRECT).host), JSON.stringify(more));
        if (accept === 'application/json') assert.equal(typeof reply.body['error'], 'string');
      }
    }
  });

  test('V18: after a consent the mistakes of a program are returned to its address, as the standard says', async () => {
    const clientId = await registerProgram(market.url);
    const browser = new Browser(market.url, { 'idp-token': ines });
    await allow(browser, await beginConsent(browser, { clientId, challenge: newPkce().challenge }));
    for (const more of mistakes.filter(({ response_mode: mode }) => mode !== 'form_post')) {
      const reply = await call(market.url, `GET ${authorizePath({ clientId, challenge: newPkce().challenge, more })}`);
      assert.equal(reply.status, 303, JSON.stringify(more));
      assert.match(reply.headers.get('location') ?? '', /^https:\/\/assistant\.example\/callback[?#].*error=/, JSON.stringify(more));
    }
    const [{ id }] = (await expectCall(market.url, 200, 'GET /api/connections', { key: ines })) as unknown as [{ id: string }];
    await expectCall(market.url, 200, `DELETE /api/connections/${id}`, { key: ines });
    const later = await call(market.url, `GET ${authorizePath({ clientId, challenge: newPkce().challenge, more: { prompt: 'none' } })}`);
    assert.equal(later.status, 303, 'a connection existed');
  });

  test('V18: a person who refuses on our page is sent to the address that the page shows', async () => {
    const clientId = await registerProgram(market.url);
    const browser = new Browser(market.url, { 'idp-token': ines });
    const consent = await beginConsent(browser, { clientId, challenge: newPkce().challenge });
    const { data } = (await browser.send(`GET ${consent}/details`)).body;
    const sent = await follow(browser, await browser.send(`POST ${consent}/decision`, { body: { proof: data.proof, allow: false } }));
    assert.deepEqual([sent.origin + sent.pathname, sent.searchParams.get('error')], [REDIRECT, 'access_denied']);
  });
});
