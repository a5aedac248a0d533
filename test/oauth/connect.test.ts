/** A program connects: metadata, registration, consent, tokens, calls, refresh, change and end of the connection. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import {
  allow,
  Browser,
  beginConsent,
  connectProgram,
  exchangeCode,
  exchangeToken,
  newPkce,
  REDIRECT,
  refresh,
  registerProgram,
} from '../harness/oauth.ts';
import { tokenFor } from '../harness/people.ts';

describe('connecting a program', () => {
  let market: TestMarket;
  let ines: string;
  before(async () => {
    market = await openMarket();
    ines = await tokenFor(market.url, { email: 'ines@example.com' });
  });
  after(() => market.close());

  test('caches do not keep a failure of OAuth discovery, and the next request tries again', async (t) => {
    const { pool } = market.database;
    await pool.query('alter table oauth_signing_keys rename to hidden_keys');
    const show = () => pool.query('alter table if exists hidden_keys rename to oauth_signing_keys');
    t.after(show);
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/jwks'] as const) {
      const { status, headers } = await call(market.url, `GET ${path}`);
      assert.ok(status >= 500, String(status));
      assert.doesNotMatch(headers.get('cache-control') ?? '', /public|max-age=[1-9]/);
    }
    await show();
    const { status, headers } = await call(market.url, 'GET /oauth/jwks');
    assert.deepEqual([status, headers.get('cache-control')], [200, 'public, max-age=3600']);
  });

  test('the OAuth documents lead from the resource to the authorization server', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'] as const) {
      const { status, headers, body } = await call(market.url, `GET ${path}`);
      assert.equal(status, 200);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('cache-control'), 'public, max-age=3600');
      assert.deepEqual([body['resource'], body['authorization_servers']], [`${market.url}/mcp`, [market.url]]);
      assert.deepEqual(body['scopes_supported'], ['read', 'hire', 'work', 'money', 'custody']);
    }
    const { body, headers } = await call(market.url, 'GET /.well-known/oauth-authorization-server', {
      headers: { origin: 'https://other.example' },
    });
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(body['issuer'], market.url);
    assert.equal(body['authorization_endpoint'], `${market.url}/oauth/authorize`);
    assert.equal(body['token_endpoint'], `${market.url}/api/oauth/token`);
    assert.equal(body['registration_endpoint'], `${market.url}/api/oauth/register`);
    assert.equal(body['revocation_endpoint'], `${market.url}/api/oauth/revoke`);
    assert.deepEqual(body['code_challenge_methods_supported'], ['S256']);
    assert.deepEqual(body['token_endpoint_auth_methods_supported'], ['none']);
    assert.equal(body['authorization_response_iss_parameter_supported'], true);
    assert.equal(body['client_id_metadata_document_supported'], true);
    const openid = await call(market.url, 'GET /.well-known/openid-configuration');
    assert.deepEqual(openid.body, body);
    const keys = await call(market.url, 'GET /oauth/jwks');
    assert.deepEqual(Object.keys(keys.body['keys'][0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  test('OAuth registration, consent and code become tokens for our audience, and a refresh makes new ones', async () => {
    const clientId = await registerProgram(market.url);
    const { verifier, challenge } = newPkce();
    const browser = new Browser(market.url, { 'idp-token': ines });
    const sentTo = await allow(browser, await beginConsent(browser, { clientId, challenge }), { scopes: ['read'] });
    assert.equal(sentTo.origin + sentTo.pathname, REDIRECT);
    assert.equal(sentTo.searchParams.get('state'), 'st4te');
    assert.equal(sentTo.searchParams.get('iss'), market.url);
    const { status, body, headers } = await exchangeCode(market.url, { clientId, code: sentTo.searchParams.get('code') ?? '', verifier });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.deepEqual([body['token_type'], body['expires_in'], body['scope']], ['Bearer', 3600, 'read']);
    const claims = JSON.parse(Buffer.from(String(body['access_token']).split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual([claims.iss, claims.aud, claims.client_id, claims.scope], [market.url, `${market.url}/mcp`, clientId, 'read']);
    assert.match(claims.sub, /^conn_/);
    const again = await refresh(market.url, clientId, body['refresh_token']);
    assert.equal(again.status, 200, JSON.stringify(again.body));
    assert.notEqual(again.body['refresh_token'], body['refresh_token']);
  });

  test('a person sees a connected program, removes scopes and disconnects it', async () => {
    const program = await connectProgram(market.url, ines);
    const path = `/api/connections/${program.connectionId}` as const;
    const listed = await expectCall(market.url, 200, 'GET /api/connections', { key: ines });
    assert.partialDeepStrictEqual(listed[0], {
      client_name: 'Desk Assistant',
      redirect_host: 'assistant.example',
      scopes: ['read', 'hire'],
      agent_id: null,
    });
    const narrowed = await expectCall(market.url, 200, `PATCH ${path}`, { key: ines, body: { scopes: ['read'] } });
    assert.deepEqual(narrowed['scopes'], ['read']);
    const widened = await expectCall(market.url, 400, `PATCH ${path}`, { key: ines, body: { scopes: ['read', 'money'] } });
    assert.equal(widened['code'], 'scope_not_granted');
    const refreshed = await refresh(market.url, program.clientId, program.refreshToken);
    assert.equal(refreshed.body['scope'], 'read');
    await expectCall(market.url, 200, `DELETE ${path}`, { key: ines });
    assert.equal((await refresh(market.url, program.clientId, refreshed.body['refresh_token'])).body['error'], 'invalid_grant');
    await expectCall(market.url, 404, `DELETE ${path}`, { key: ines });
  });

  test('a stranger neither sees nor changes the connections of others', async () => {
    const { connectionId } = await connectProgram(market.url, ines);
    const mallory = await tokenFor(market.url, { email: 'mallory@example.com' });
    assert.deepEqual(await expectCall(market.url, 200, 'GET /api/connections', { key: mallory }), []);
    await expectCall(market.url, 404, `PATCH /api/connections/${connectionId}`, { key: mallory, body: { scopes: ['read'] } });
    await expectCall(market.url, 404, `DELETE /api/connections/${connectionId}`, { key: mallory });
  });

  test('a program revokes its own access', async () => {
    const { clientId, refreshToken } = await connectProgram(market.url, ines);
    const raw = new URLSearchParams({ token: refreshToken, client_id: clientId }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal((await call(market.url, 'POST /api/oauth/revoke', { raw, headers })).status, 200);
    const after = await exchangeToken(market.url, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });
    assert.equal(after.body['error'], 'invalid_grant');
  });
});
