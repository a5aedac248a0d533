/** Consent that is skipped, framed, forged or given by another person. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connectionLimits } from '@market/contract';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, cookieOf, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { allow, authorizePath, Browser, beginConsent, follow, newPkce, REDIRECT, registerProgram } from '../harness/oauth.ts';
import { agreed, baseWallet, linkWallet, openSession, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';

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

  test('O04: the consent page names the program, the host it returns to and every permission in words', async () => {
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

  test('O04: neither the consent page nor any answer may be framed', async () => {
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

  test('O04: a program that was allowed before must be allowed again, and cannot ask silently', async () => {
    const browser = signedIn(ines);
    await allow(browser, await beginConsent(browser, wish()));
    await beginConsent(browser, wish());
    const silent = await browser.send(`GET ${authorizePath({ ...wish(), more: { prompt: 'none' } })}`);
    const sent = new URL(silent.headers.get('location') ?? '');
    assert.deepEqual([sent.origin + sent.pathname, sent.searchParams.get('error')], [REDIRECT, 'consent_required']);
  });

  test('O04: continuing without a decision leads back to the consent page', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const resumed = await browser.send(`GET ${consent.replace('/consent/', '/authorize/') as `/${string}`}`);
    assert.match(resumed.headers.get('location') ?? '', /^\/oauth\/consent\//);
  });

  test('O04: a consent link that an attacker began does nothing in the browser of the victim', async () => {
    const attacker = signedIn(mallory);
    const consent = await beginConsent(attacker, wish());
    const proof = await proofIn(attacker, consent);
    const victim = signedIn(ines);
    await refused(404, victim.send(`GET ${consent}/details`));
    await refused(404, victim.send(`POST ${consent}/decision`, { body: yes(proof) }));
    await beginConsent(victim, wish());
    await refused(404, victim.send(`POST ${consent}/decision`, { body: yes(proof) }));
  });

  test('O04: a consent cookie that an attacker plants is refused without its signature', async () => {
    const attacker = signedIn(mallory);
    const consent = await beginConsent(attacker, wish());
    const uid = consent.split('/').at(-1) ?? '';
    const forged = new Browser(market.url, { 'idp-token': ines, oauth_consent: uid, 'oauth_consent.sig': 'x'.repeat(27) });
    await refused(404, forged.send(`GET ${consent}/details`));
  });

  test('O04: a consent decision without the proof, with another proof, or for another person does not count', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const proof = await proofIn(browser, consent);
    const other = await beginConsent(browser, wish());
    for (const wrong of ['', 'x', proof.slice(1), await proofIn(browser, other)]) {
      await refused(403, browser.send(`POST ${consent}/decision`, { body: yes(wrong) }));
    }
    const { body: words } = await browser.send(`POST ${consent}/decision`, { body: yes('x') });
    assert.equal(words['error'], 'Another person signed in since this page was loaded. Load it again.');
    await refused(400, browser.send(`POST ${consent}/decision`, { body: { ...yes(proof), proof: undefined } }));
    await refused(400, browser.send(`POST ${consent}/decision`, { body: { ...yes(proof), scopes: [] } }));
    await refused(400, browser.send(`POST ${consent}/decision`, { body: { ...yes(proof), scopes: ['admin'] } }));
    // In the same browser another person signed in meanwhile.
    const switched = new Browser(market.url, { 'idp-token': mallory });
    const swappedConsent = await beginConsent(switched, wish());
    const session = await openSession(market.url, baseWallet());
    const withWallet = new Browser(market.url, Object.fromEntries([session.split('=')]) as Record<string, string>);
    await refused(404, withWallet.send(`POST ${swappedConsent}/decision`, { body: yes(await proofIn(switched, swappedConsent)) }));
  });

  test('O04: neither another site nor a form can send the consent decision', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const body = yes(await proofIn(browser, consent));
    await refused(403, browser.send(`POST ${consent}/decision`, { body, headers: { origin: 'https://evil.example' } }));
    await refused(403, browser.send(`POST ${consent}/decision`, { body, headers: { 'sec-fetch-site': 'cross-site' } }));
    await refused(415, browser.send(`POST ${consent}/decision`, { body, headers: { 'content-type': 'text/plain' } }));
  });

  test('O04: only a person signed in on the site decides about consent; a bearer token does not count', async () => {
    const browser = new Browser(market.url);
    const consent = await beginConsent(browser, wish());
    await refused(401, browser.send(`GET ${consent}/details`));
    await refused(401, browser.send(`GET ${consent}/details`, { headers: { authorization: `Bearer ${ines}` } }));
  });

  test('O04: a refused consent is reported to the program, and a decision counts once', async () => {
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

  test('O04: of ten consent decisions at once one counts, whether it allows or refuses', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const proof = await proofIn(browser, consent);
    const before = await count();
    const bodies = Array.from({ length: 10 }, (_, n) => (n % 5 === 4 ? { proof, allow: false } : yes(proof)));
    const replies = await Promise.all(bodies.map((body) => browser.send(`POST ${consent}/decision`, { body })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array<number>(9).fill(404)]);
    const counted = bodies[replies.findIndex(({ status }) => status === 200)];
    assert.equal((await count()) - before, counted?.allow === true ? 1 : 0);
  });

  test('O10: the consent page neither offers nor accepts an agent of another identity in the same browser', async () => {
    const wallet = baseWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const [name = '', value = ''] = (await openSession(market.url, wallet)).split('=');
    const both = new Browser(market.url, { 'idp-token': ines, [name]: value });
    const consent = await beginConsent(both, wish());
    const { data } = (await both.send(`GET ${consent}/details`)).body;
    assert.ok(!JSON.stringify(data.agents).includes(agent.id));
    await refused(403, both.send(`POST ${consent}/decision`, { body: { ...yes(data.proof), agent_id: agent.id } }));

    const alone = new Browser(market.url, { [name]: value });
    await allow(alone, await beginConsent(alone, wish()), { agent_id: agent.id });
    const key = await tokenFor(market.url, { email: 'both@example.com' });
    await linkWallet(market.url, key, wallet);
    const ofAccount = await registerAgent(market.url, {}, { key });
    const [held] = (await expectCall(market.url, 200, 'GET /api/connections', { key })) as unknown as { id: string }[];
    // The connection is the wallet's, so it cannot act as an agent of the account.
    const change = async (agent_id: string) => (await alone.send(`PATCH /api/connections/${held?.id}`, { body: { agent_id } })).status;
    assert.deepEqual([await change(ofAccount.id), await change(agent.id)], [403, 200]);
  });

  test('O04: a program that registered itself has one connection: a new consent shows and replaces the earlier one', async () => {
    const browser = signedIn(ines);
    const key = ines;
    const ofThis = async () =>
      (
        await market.database.pool.query(
          'select id, revoked_at is null as live from connections where client_id = $1 order by created_at',
          [own],
        )
      ).rows;
    const own = await registerProgram(market.url);
    const asked = () => beginConsent(browser, { clientId: own, challenge: newPkce().challenge });
    const agent = await registerAgent(market.url, {}, { key });
    const first = await asked();
    assert.equal((await browser.send(`GET ${first}/details`)).body['data'].earlier, null);
    await allow(browser, first, { agent_id: agent.id, daily_limit_usd: '2.50' });
    const [{ id }] = await ofThis();
    await expectCall(market.url, 200, `PUT /api/spending/policies/connection/${id}`, {
      key,
      body: { per_day_usd: '2.50', per_order_usd: '1.00' },
    });
    const second = await asked();
    const { earlier } = (await browser.send(`GET ${second}/details`)).body['data'];
    assert.partialDeepStrictEqual(earlier, { scopes: ['read', 'hire'], agent_id: agent.id, daily_limit_usd: '2.50', is_replaced: true });
    await allow(browser, second, { daily_limit_usd: '3.00' });
    assert.deepEqual(
      (await ofThis()).map(({ live }) => live),
      [false, true],
    );
    await until('the notification', async () => {
      const notices = await expectCall(market.url, 200, 'GET /api/notifications', { key });
      return notices['find'](({ type }: { type: string }) => type === 'connection_replaced');
    });
    const { rows } = await market.database.pool.query(
      'select per_day_micros, per_order_micros from spend_policies where subject_id in (select program_id from connections where client_id = $1)',
      [own],
    );
    assert.deepEqual(rows, [{ per_day_micros: 3_000_000n, per_order_micros: 1_000_000n }]);
  });

  test('O04: programs that share one metadata document keep their connections side by side', async () => {
    const shared = 'https://assistant.example/shared.json';
    await market.database.pool.query(
      `insert into oauth_clients (id, metadata, expires_at)
       select $1, metadata || jsonb_build_object('client_id', $1::text), expires_at from oauth_clients where id = $2`,
      [shared, clientId],
    );
    const browser = signedIn(ines);
    const asked = () => beginConsent(browser, { clientId: shared, challenge: newPkce().challenge });
    await allow(browser, await asked());
    const second = await asked();
    assert.equal((await browser.send(`GET ${second}/details`)).body['data'].earlier.is_replaced, false);
    await allow(browser, second);
    const { rowCount } = await market.database.pool.query('select 1 from connections where client_id = $1 and revoked_at is null', [
      shared,
    ]);
    assert.equal(rowCount, 2);
  });

  test('O04: a person has a limited number of connected programs, and reads at the limit what to do', async () => {
    const key = await tokenFor(market.url, { email: 'many@example.com' });
    const browser = signedIn(key);
    await allow(browser, await beginConsent(browser, wish()));
    const [{ id }] = (await expectCall(market.url, 200, 'GET /api/connections', { key })) as unknown as [{ id: string }];
    await market.database.pool.query(
      `insert into connections (id, person, client_id, program_id, client_name, redirect_host, scopes, expires_at)
       select id || '_' || n, person, client_id || n, program_id, client_name, redirect_host, scopes, expires_at
       from connections, generate_series(2, $2) n where id = $1`,
      [id, connectionLimits.mostPerPerson],
    );
    const other = { ...wish(), clientId: await registerProgram(market.url) };
    const consent = await beginConsent(browser, other);
    const proof = await proofIn(browser, consent);
    const reply = await browser.send(`POST ${consent}/decision`, { body: yes(proof) });
    assert.deepEqual([reply.status, reply.body['code']], [409, 'too_many_connections']);
    await expectCall(market.url, 200, `DELETE /api/connections/${id}`, { key });
    assert.equal((await browser.send(`POST ${consent}/decision`, { body: yes(proof) })).status, 200, 'the same consent counts afterwards');
  });

  test('O06: a consent decision refuses text that the database cannot store', async () => {
    const browser = signedIn(ines);
    const consent = await beginConsent(browser, wish());
    const proof = await proofIn(browser, consent);
    for (const bad of ['\u0000', 'ext_\ud800'])
      for (const field of ['agent_id', 'daily_limit_usd', 'proof'])
        await refused(400, browser.send(`POST ${consent}/decision`, { body: { ...yes(proof), [field]: bad } }));
    const reply = await browser.send(`POST ${consent}/decision`, { body: { allow: 'perhaps' } });
    assert.deepEqual([reply.status, reply.body['error']], [400, 'The body must hold proof and allow.']);
  });

  test('a wallet decides about consent by its session, and the tokens are its own', async () => {
    const session = await call(market.url, 'POST /api/auth/session', {
      body: await agreed(market.url, baseWallet(), { action: 'session' }),
    });
    const [name = '', value = ''] = cookieOf(session).split('=');
    const browser = new Browser(market.url, { [name]: value });
    const sent = await allow(browser, await beginConsent(browser, wish()), { scopes: ['read', 'money'] });
    assert.ok(sent.searchParams.get('code'));
    const { rows } = await market.database.pool.query(
      "select wallet_chain, scopes from connections where person like 'wallet:%' order by created_at desc limit 1",
    );
    assert.deepEqual(rows, [{ wallet_chain: 'base', scopes: ['read', 'money'] }]);
  });
});
