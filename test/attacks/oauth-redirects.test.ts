/** Dishonest programs at the authorization endpoint: redirect addresses, PKCE, and the audience of the token. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import {
  allow,
  authorizePath,
  Browser,
  beginConsent,
  exchangeCode,
  exchangeToken,
  newPkce,
  REDIRECT,
  registerProgram,
} from '../harness/oauth.ts';
import { tokenFor } from '../harness/people.ts';

/** Near misses of `https://assistant.example/callback`. */
const variants = [
  'https://assistant.example/callback/',
  'https://assistant.example/callback?',
  'https://assistant.example/callback?x=1',
  'https://assistant.example/callback#',
  'https://assistant.example/callback#x',
  'https://assistant.example/Callback',
  'https://ASSISTANT.example/callback',
  'HTTPS://assistant.example/callback',
  'http://assistant.example/callback',
  'https://assistant.example:443/callback',
  'https://assistant.example:8443/callback',
  'https://assistant.example./callback',
  'https://www.assistant.example/callback',
  'https://assistant.example.evil.example/callback',
  'https://evil.example/callback',
  'https://evil.example/https://assistant.example/callback',
  'https://assistant.example@evil.example/callback',
  'https://evil.example\\@assistant.example/callback',
  'https://user:pass@assistant.example/callback',
  'https://assistant.example/callback/../evil',
  'https://assistant.example/x/../callback',
  'https://assistant.example/callback%2f..%2fevil',
  'https://assistant.example//callback',
  'https://assistant.example/%63allback',
  ' https://assistant.example/callback',
  'https://assistant.example/callback ',
  'https://assistant.example/callback\t',
  'https://assistant.example/callback%00',
  'https://assistant.example',
  '//assistant.example/callback',
  '/callback',
  'javascript:alert(1)//assistant.example/callback',
  'data:text/html,assistant.example/callback',
  'assistant.example/callback',
  '',
];

describe('requests of programs', () => {
  let market: TestMarket;
  let clientId: string;
  let ines: string;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
    clientId = await registerProgram(market.url);
    ines = await tokenFor(market.url, { email: 'ines@example.com' });
  });
  after(() => market.close());

  test('O01: 35 near misses of the registered redirect address are refused on a page of ours, without a redirect', async () => {
    const { challenge } = newPkce();
    for (const redirect_uri of variants) {
      const path = authorizePath({ clientId, challenge, more: { redirect_uri } });
      const reply = await call(market.url, `GET ${path}`, { headers: { accept: 'text/html' } });
      assert.equal(reply.status, 400, redirect_uri);
      assert.equal(reply.headers.get('location'), null, redirect_uri);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/, redirect_uri);
      assert.match(reply.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.match(String(reply.body['text']), /This program cannot be connected/);
      assert.ok(!String(reply.body['text']).includes('evil.example'), redirect_uri);
    }
    assert.ok(variants.length >= 30);
  });

  test('O01: a repeated or missing redirect address, and an unknown program, are refused on a page of ours', async () => {
    const { challenge } = newPkce();
    const once = authorizePath({ clientId, challenge });
    const paths = [
      `${once}&redirect_uri=${encodeURIComponent('https://evil.example/callback')}`,
      `${once}&client_id=other`,
      authorizePath({ clientId: 'unknown', challenge, more: { redirect_uri: 'https://evil.example/callback' } }),
      authorizePath({ clientId: 'https://127.0.0.1/program.json', challenge, more: { redirect_uri: 'https://evil.example/callback' } }),
      '/oauth/authorize',
    ];
    for (const path of paths) {
      const reply = await call(market.url, `GET ${path as `/${string}`}`);
      assert.equal(reply.status, 400, path);
      assert.equal(reply.headers.get('location'), null, path);
      assert.equal(typeof reply.body['error'], 'string');
    }
  });

  test('O01: an authorization code is refused with another redirect address', async () => {
    const { verifier, challenge } = newPkce();
    const browser = new Browser(market.url, { 'idp-token': ines });
    const code = (await allow(browser, await beginConsent(browser, { clientId, challenge }))).searchParams.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
    for (const redirect_uri of ['https://evil.example/callback', `${REDIRECT}/`, '']) {
      const reply = await exchangeToken(market.url, { ...fields, redirect_uri });
      assert.equal(reply.status, 400);
      assert.match(reply.body['error'], /^invalid_(grant|request)$/);
    }
  });

  test('O02: PKCE is required, by S256 only', async () => {
    const { verifier, challenge } = newPkce();
    const asked: Record<string, string>[] = [
      { code_challenge: '', code_challenge_method: '' },
      { code_challenge: '' },
      { code_challenge: verifier, code_challenge_method: 'plain' },
      { code_challenge: challenge, code_challenge_method: 's256' },
      { code_challenge: challenge, code_challenge_method: 'S512' },
      { code_challenge: 'short', code_challenge_method: 'S256' },
    ];
    for (const more of asked) {
      const reply = await call(market.url, `GET ${authorizePath({ clientId, challenge, more })}`);
      const sent = new URL(reply.headers.get('location') ?? '', market.url);
      assert.equal(reply.status, 303, JSON.stringify(more));
      assert.equal(sent.origin + sent.pathname, REDIRECT);
      assert.deepEqual([sent.searchParams.get('error'), sent.searchParams.get('code')], ['invalid_request', null], JSON.stringify(more));
      assert.equal(sent.searchParams.get('iss'), market.url);
    }
    const withoutMethod = authorizePath({ clientId, challenge }).replace('code_challenge_method=S256&', '');
    const reply = await call(market.url, `GET ${withoutMethod as `/${string}`}`);
    assert.match(reply.headers.get('location') ?? '', /error=invalid_request/);
  });

  test('O02: a wrong, missing or shortened PKCE verifier gets no token', async () => {
    const browser = new Browser(market.url, { 'idp-token': ines });
    const { verifier, challenge } = newPkce();
    const code = (await allow(browser, await beginConsent(browser, { clientId, challenge }))).searchParams.get('code') ?? '';
    for (const wrong of [newPkce().verifier, challenge, verifier.slice(0, -1), verifier.toLowerCase(), '']) {
      const reply = await exchangeCode(market.url, { clientId, code, verifier: wrong });
      assert.equal(reply.status, 400, wrong);
      assert.match(reply.body['error'], /^invalid_(grant|request)$/);
    }
    assert.equal(createHash('sha256').update(verifier).digest('base64url'), challenge);
  });

  test('O07: no token is issued for another resource', async () => {
    const { verifier, challenge } = newPkce();
    for (const resource of ['https://evil.example/mcp', `${market.url}/mcp/`, `${market.url}/api`, 'not a url']) {
      const reply = await call(market.url, `GET ${authorizePath({ clientId, challenge, more: { resource } })}`);
      assert.match(reply.headers.get('location') ?? '', /error=invalid_target/, resource);
    }
    const browser = new Browser(market.url, { 'idp-token': ines });
    const consent = await beginConsent(browser, { clientId, challenge, more: { resource: `${market.url}/mcp` } });
    const code = (await allow(browser, consent)).searchParams.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: REDIRECT };
    const reply = await exchangeToken(market.url, { ...fields, resource: 'https://evil.example/mcp' });
    assert.deepEqual([reply.status, reply.body['error']], [400, 'invalid_target']);
  });

  test('O08: issuer, endpoints and audience come from the settings, whatever the request says', async () => {
    const { verifier, challenge } = newPkce();
    const lies = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example;proto=https',
      'x-original-host': 'evil.example',
    };
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
    ] as const) {
      const reply = await call(market.url, `GET ${path}`, { headers: lies });
      assert.equal(reply.status, 200, path);
      assert.ok(!JSON.stringify(reply.body).includes('evil'), path);
    }
    const begun = await call(market.url, `GET ${authorizePath({ clientId, challenge })}`, { headers: lies });
    assert.match(begun.headers.get('location') ?? '', /^\/oauth\/consent\//);
    const browser = new Browser(market.url, { 'idp-token': ines });
    const sent = await allow(browser, await beginConsent(browser, { clientId, challenge }));
    const raw = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code: sent.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: REDIRECT,
    }).toString();
    const headers = { ...lies, 'content-type': 'application/x-www-form-urlencoded' };
    const { body } = await call(market.url, 'POST /api/oauth/token', { raw, headers });
    const claims = JSON.parse(Buffer.from(String(body['access_token']).split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual([claims.iss, claims.aud], [market.url, `${market.url}/mcp`]);
  });
});
