/** Requests from other sites in the same browser, and stolen or forgotten cookies. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operationList } from '@market/contract';
import { registerAgent } from '../harness/agents.ts';
import { type CallOptions, call, cookieOf } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agreed, openSession, solanaWallet, tokenFor } from '../harness/people.ts';
import { isThorough } from '../harness/thoroughness.ts';

const ELSEWHERE = 'https://evil.example';
const APP = 'https://app.market.example';
/** Headers by which a browser marks a request from another site. */
const SIGNS: readonly Record<string, string>[] = [
  { origin: ELSEWHERE },
  { origin: 'null' },
  { origin: `${APP}.evil.example`, 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
];

let market: TestMarket;
let sessionCookie: string;
let tokenCookie: string;
before(async () => {
  market = await openMarket({ APP_URL: APP });
  sessionCookie = await openSession(market.url, solanaWallet());
  const token = await tokenFor(market.url, { email: 'browser@example.com' });
  await send('POST /api/auth/user', { key: token });
  tokenCookie = `idp-token=${token}`;
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(market.url, route, options);

/** A form that a page of another site can send. */
function aForm(field: string): string {
  return `--x\r\nContent-Disposition: form-data; name="${field}"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--x--\r\n`;
}

const changes = operationList.filter(({ spec }) => !['GET', 'HEAD'].includes(spec.rest.method));

for (const [turn, { name, spec }] of changes.entries()) {
  const path = spec.rest.path.replace('{id}', 'tallyrook').replace(/\{\w+\}/g, 'uw_1700000000000_k3v9x1q7a');
  const { selector, multipart } = spec.rest;
  const chosen = selector === undefined ? {} : { [selector.field]: selector.value };
  const json = spec.rest.method === 'DELETE' ? {} : { body: { ...chosen, ...spec.examples[0]?.input } };
  const body: CallOptions = multipart === undefined ? json : { raw: aForm(multipart.field) };
  const type: Record<string, string> = multipart === undefined ? {} : { 'content-type': 'multipart/form-data; boundary=x' };

  test(`A15: another site cannot trigger ${name} with our visitor's cookies`, async () => {
    const contentOf = async () => (await market.database.pool.query(`select count(*), max(xmin::text::bigint) from agents`)).rows;
    const content = await contentOf();
    for (const [place, cookie] of [sessionCookie, tokenCookie, `${sessionCookie}; ${tokenCookie}`].entries()) {
      // A thorough run tries each cookie with every mark; an everyday run with one, in turn.
      for (const signs of SIGNS.filter((_, n) => isThorough || n === (turn + place) % SIGNS.length)) {
        const reply = await send(`${spec.rest.method} ${path}` as `POST /${string}`, { ...body, headers: { cookie, ...signs, ...type } });
        assert.equal(reply.status, 403, `${JSON.stringify(signs)}: ${reply.status} ${reply.body['code']}`);
      }
    }
    assert.deepEqual(await contentOf(), content);
  });
}

test('A15: form and plain-text bodies are refused with 415, with or without cookies', async () => {
  for (const [type, raw] of [
    ['text/plain', '{"display_name":"Owned"}'],
    ['application/x-www-form-urlencoded', 'display_name=Owned'],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="display_name"\r\n\r\nOwned\r\n--x--'],
  ]) {
    const reply = await send('PUT /api/profile', { headers: { cookie: tokenCookie, 'content-type': type ?? '' }, raw: raw ?? '' });
    assert.deepEqual([reply.status, reply.body['code']], [415, 'unsupported_media_type'], type);
  }
});

test('A15: requests of our own pages, and explicit credentials from any origin, are accepted', async () => {
  const body = { display_name: 'Ines' };
  for (const headers of [{ origin: APP }, { origin: market.url }, { 'sec-fetch-site': 'same-origin' }]) {
    assert.equal(
      (await send('PUT /api/profile', { headers: { cookie: tokenCookie, ...headers }, body })).status,
      200,
      JSON.stringify(headers),
    );
  }
  const { key } = await registerAgent(market.url);
  const byKey = await send('PATCH /api/agents/me', { key, headers: { origin: ELSEWHERE, cookie: sessionCookie }, body: {} });
  assert.equal(byKey.status, 200);
});

test('A16: only our own origins get Access-Control-Allow-Credentials', async () => {
  const own = await send('GET /api/auth/whoami', { headers: { origin: APP, cookie: tokenCookie } });
  assert.equal(own.headers.get('access-control-allow-origin'), APP);
  assert.equal(own.headers.get('access-control-allow-credentials'), 'true');
  const strangers = [
    ELSEWHERE,
    'null',
    `${APP}.evil.example`,
    `https://evil-app.market.example`,
    `${APP}:444`,
    APP.replace('https', 'http'),
    APP.toUpperCase(),
    `${APP}/`,
    `${APP}@evil.example`,
    'file://',
    '*',
  ];
  for (const origin of strangers) {
    for (const method of ['GET', 'OPTIONS'] as const) {
      const headers = { origin, cookie: tokenCookie, 'access-control-request-method': 'PATCH' };
      const reply = await send(`${method} /api/auth/whoami`, { headers });
      assert.equal(reply.headers.get('access-control-allow-credentials'), null, `${method} ${origin}`);
      assert.ok([null, '*'].includes(reply.headers.get('access-control-allow-origin')), `${method} ${origin}`);
    }
  }
  assert.match(own.headers.get('vary') ?? '', /origin/i);
});

test('A22: the session cookie is HttpOnly and SameSite, and Secure in production', async () => {
  const reply = await send('POST /api/auth/session', { body: await agreed(market.url, solanaWallet(), { action: 'session' }) });
  assert.match(
    reply.headers.get('set-cookie') ?? '',
    /^market_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
  );
  const production = await openMarket({ MARKET_PROFILE: 'production', BASE_URL: 'https://market.example' });
  try {
    const { headers } = await call(production.url, 'POST /api/auth/session', {
      body: await agreed(production.url, solanaWallet(), { action: 'session' }),
    });
    const set = headers.get('set-cookie') ?? '';
    assert.match(set, /^__Host-market_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/);
    // A sibling host can plant a cookie without the prefix, so that name opens nothing here.
    const token = /=([^;]+)/.exec(set)?.[1] ?? '';
    const whoSees = async (cookie: string) =>
      (await call(production.url, 'GET /api/auth/whoami', { headers: { cookie } })).body['data'].wallet;
    assert.notEqual(await whoSees(`__Host-market_session=${token}`), null);
    assert.equal(await whoSees(`market_session=${token}`), null);
    const out = await call(production.url, 'DELETE /api/auth/session', { headers: { cookie: `__Host-market_session=${token}` } });
    assert.match(out.headers.get('set-cookie') ?? '', /^__Host-market_session=; Path=\/; Max-Age=0; /);
    assert.equal(await whoSees(`__Host-market_session=${token}`), null);
    assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d{8}/);
  } finally {
    await production.close();
  }
});

test('A22: signing out ends the session on the service, not only in the browser', async () => {
  const cookie = await openSession(market.url, solanaWallet());
  assert.notEqual((await send('GET /api/auth/whoami', { headers: { cookie } })).body['data'].wallet, null);
  const out = await send('DELETE /api/auth/session', { headers: { cookie } });
  assert.match(out.headers.get('set-cookie') ?? '', /^market_session=; .*Max-Age=0/);
  assert.equal((await send('GET /api/auth/whoami', { headers: { cookie } })).body['data'].wallet, null);
});

test('A22: a session id chosen by an attacker is never adopted, and session ids are unique', async () => {
  const cookie = 'market_session=chosen-by-an-attacker-chosen-by-an-attacker';
  const reply = await send('POST /api/auth/session', {
    body: await agreed(market.url, solanaWallet(), { action: 'session' }),
    headers: { cookie },
  });
  assert.notEqual(cookieOf(reply), cookie);
  assert.equal((await send('GET /api/auth/whoami', { headers: { cookie } })).body['data'].wallet, null);
  const wallet = solanaWallet();
  const again = await Promise.all([1, 2, 3].map(async () => await openSession(market.url, wallet)));
  assert.equal(new Set(again).size, 3);
});

test('A22: an unused session ends after 7 days, use renews it', async () => {
  const idle = await openSession(market.url, solanaWallet());
  const used = await openSession(market.url, solanaWallet());
  const isAlive = async (cookie: string) => (await send('GET /api/auth/whoami', { headers: { cookie } })).body['data'].wallet !== null;
  for (let day = 0; day < 4; day += 1) {
    await send('POST /sandbox/clock', { body: { advance_seconds: 1.9 * 86_400 } });
    assert.ok(await isAlive(used), `day ${day * 1.9}`);
  }
  assert.equal(await isAlive(idle), false);
});

test('A22: a sign-in repeated under one Idempotency-Key, with a new message, still sets a working cookie', async () => {
  const wallet = solanaWallet();
  const headers = { 'idempotency-key': 'session-retry' };
  const body = await agreed(market.url, wallet, { action: 'session' });
  await send('POST /api/auth/session', { body, headers });
  const replayed = await send('POST /api/auth/session', { body, headers });
  assert.deepEqual([replayed.status, replayed.body['code']], [401, 'signature_already_used']);
  const retry = await send('POST /api/auth/session', { body: await agreed(market.url, wallet, { action: 'session' }), headers });
  assert.equal(retry.status, 200);
  const seen = await send('GET /api/auth/whoami', { headers: { cookie: cookieOf(retry) } });
  assert.notEqual(seen.body['data'].wallet, null, 'the first answer was lost on the way and its cookie with it');
});
