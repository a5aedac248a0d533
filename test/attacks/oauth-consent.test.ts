/** Consent that is skipped, framed, forged or given by somebody else. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { call, cookieOf, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { allow, authorizePath, Browser, beginConsent, follow, newPkce, REDIRECT, registerProgram } from '../harness/oauth.ts';
import { baseWallet, signed, tokenFor } from '../harness/people.ts';

describe('consent', () => {
  let market: TestMarket;
  let clientId: string;
  let ines: string;
  let mallory: string;
  before(async () => {
    market = await openMarket();
    clientId = await registerProgram(market.url);
    ines = await tokenFor(market.url, { email: 'ines@example.com' });
    mallory = await tokenFor(market.url, { email: 'mallory@example.com' });
  });
  after(() => market.close());

  const wish = () => ({ clientId, challenge: newPkce().challenge });
  const signedIn = (token: string) => new Browser(market.url, { 'idp-token': token });
  const count = async (): Promise<number> => Number((await market.database.pool.query('select count(*) from connections')).rows[0].count);
  const proofIn = async (browser: Browser, consent: `/${string}`): Promise<string> =>
    String((await browser.send(`GET ${consent}/details`)).body['data'].proof);
  const yes = (proof: string) => ({ proof, allow: true, scopes: ['read'], agent_id: null, daily_limit_usd: null });

  async function refused(status: number, sending: Promise<Reply>): Promise<void> {
    const before = await count();
    const reply = await sending;
    assert.equal(reply.status, status, JSON.stringify(reply.body));
    assert.equal(await count(), before);
  }

  test('O04: the page names the program, the host it leads back to and every permission in words', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const { data } = (await browser.send(`GET ${consent}/details`)).body;
    assert.partialDeepStrictEqual(data, {
      client_name: 'Desk Assistant',
      redirect_host: 'assistant.example',
      person: 'ines@example.com',
      published_by: null,
    });
    assert.deepEqual(
      data.scopes.map((scope: { name: string; asked: boolean }) => [scope.name, scope.asked]),
      [
        ['read', true],
        ['hire', true],
        ['work', false],
        ['money', false],
        ['custody', false],
      ],
    );
  });

  test('O04: neither the page nor any answer may be framed', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const answers = [
      await browser.send(`GET ${consent}`, { headers: { accept: 'text/html' } }),
      await browser.send(`GET ${authorizePath(wish())}`),
    ];
    for (const { headers } of answers) {
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.equal(headers.get('x-frame-options'), 'DENY');
    }
  });

  test('O04: a program that was allowed before is asked for again, and cannot ask silently', async () => {
    const browser = signedIn(ines);
    await allow(browser, await beginConsent(browser, wish()));
    await beginConsent(browser, wish());
    const silent = await browser.send(`GET ${authorizePath({ ...wish(), more: { prompt: 'none' } })}`);
    const sent = new URL(silent.headers.get('location') ?? '');
    assert.deepEqual([sent.origin + sent.pathname, sent.searchParams.get('error')], [REDIRECT, 'consent_required']);
  });

  test('O04: going on without a decision leads back to the question', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const resumed = await browser.send(`GET ${consent.replace('/consent/', '/authorize/') as `/${string}`}`);
    assert.match(resumed.headers.get('location') ?? '', /^\/oauth\/consent\//);
  });

  test('O04: a link that an attacker began does nothing in the browser of the victim', async () => {
    const attacker = signedIn(mallory);
    const consent = await beginConsent(attacker, wish());
    const proof = await proofIn(attacker, consent);
    const victim = signedIn(ines);
    await refused(404, victim.send(`GET ${consent}/details`));
    await refused(404, victim.send(`POST ${consent}/decision`, { body: yes(proof) }));
    await beginConsent(victim, wish());
    await refused(404, victim.send(`POST ${consent}/decision`, { body: yes(proof) }));
  });

  test('O04: a cookie that the attacker plants beside it does not fit without its signature', async () => {
    const attacker = signedIn(mallory);
    const consent = await beginConsent(attacker, wish());
    const uid = consent.split('/').at(-1) ?? '';
    const forged = new Browser(market.url, { 'idp-token': ines, oauth_consent: uid, 'oauth_consent.sig': 'x'.repeat(27) });
    await refused(404, forged.send(`GET ${consent}/details`));
  });

  test('O04: a decision without the proof, with another proof, or for another person does not count', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const proof = await proofIn(browser, consent);
    const other = await beginConsent(browser, wish());
    for (const wrong of ['', 'x', proof.slice(1), await proofIn(browser, other)]) {
      await refused(403, browser.send(`POST ${consent}/decision`, { body: yes(wrong) }));
    }
    await refused(400, browser.send(`POST ${consent}/decision`, { body: { ...yes(proof), proof: undefined } }));
    await refused(400, browser.send(`POST ${consent}/decision`, { body: { ...yes(proof), scopes: [] } }));
    await refused(400, browser.send(`POST ${consent}/decision`, { body: { ...yes(proof), scopes: ['admin'] } }));
    // The same browser, but somebody else signed in meanwhile.
    const switched = new Browser(market.url, { 'idp-token': mallory });
    const swappedConsent = await beginConsent(switched, wish());
    const session = await call(market.url, 'POST /api/auth/session', { body: await signed(baseWallet()) });
    const withWallet = new Browser(market.url, Object.fromEntries([cookieOf(session).split('=')]) as Record<string, string>);
    await refused(404, withWallet.send(`POST ${swappedConsent}/decision`, { body: yes(await proofIn(switched, swappedConsent)) }));
  });

  test('O04: another site cannot send the decision, nor can a form', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const body = yes(await proofIn(browser, consent));
    await refused(403, browser.send(`POST ${consent}/decision`, { body, headers: { origin: 'https://evil.example' } }));
    await refused(403, browser.send(`POST ${consent}/decision`, { body, headers: { 'sec-fetch-site': 'cross-site' } }));
    await refused(415, browser.send(`POST ${consent}/decision`, { body, headers: { 'content-type': 'text/plain' } }));
  });

  test('O04: only a person signed in on the site decides; a bearer token does not count', async () => {
    const browser = new Browser(market.url);
    const consent = await beginConsent(browser, wish());
    await refused(401, browser.send(`GET ${consent}/details`));
    await refused(401, browser.send(`GET ${consent}/details`, { headers: { authorization: `Bearer ${ines}` } }));
  });

  test('O04: a refusal tells the program so, and a decision counts once', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const proof = await proofIn(browser, consent);
    const decided = await browser.send(`POST ${consent}/decision`, { body: { proof, allow: false } });
    await refused(404, browser.send(`POST ${consent}/decision`, { body: yes(proof) }));
    const sent = await follow(browser, decided);
    assert.deepEqual(
      [sent.searchParams.get('error'), sent.searchParams.get('code'), sent.searchParams.get('iss')],
      ['access_denied', null, market.url],
    );
  });

  test('a wallet decides by its session, and the tokens are its own', async () => {
    const session = await call(market.url, 'POST /api/auth/session', { body: await signed(baseWallet()) });
    const [name = '', value = ''] = cookieOf(session).split('=');
    const browser = new Browser(market.url, { [name]: value });
    const sent = await allow(browser, await beginConsent(browser, wish()), { scopes: ['read', 'money'] });
    assert.ok(sent.searchParams.get('code'));
    const { rows } = await market.database.pool.query("select wallet_chain, scopes from connections where person like 'wallet:%'");
    assert.deepEqual(rows, [{ wallet_chain: 'base', scopes: ['read', 'money'] }]);
  });
});
