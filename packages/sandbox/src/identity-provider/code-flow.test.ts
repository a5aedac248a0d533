import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  APP,
  AUDIENCE,
  createPkce,
  exchange,
  post,
  readError,
  signInForCode,
  startTestApp,
  stopTestApp,
  type TestApp,
  verify,
} from './test-app.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(stopTestApp);

test('a person signs in by code and PKCE, and both tokens verify against the published keys', async () => {
  const pkce = createPkce();
  const code = await signInForCode(pkce, { email: 'Ada@Example.com', name: "Ada O'Neill", twitter_username: '@ada_x', admin: 'yes' });
  const answer = await exchange(code, pkce);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
  const body = (await answer.json()) as Record<string, string>;
  assert.deepEqual([body['token_type'], body['expires_in'], body['scope']], ['Bearer', 3600, 'openid email']);

  const access = await verify(body['access_token'] ?? '', AUDIENCE);
  const { sub, iat, exp, ...claims } = access;
  assert.match(sub ?? '', /^usr_[0-9a-f]{24}$/);
  assert.deepEqual([iat, exp], [Math.floor(app.clock.nowMs / 1000), Math.floor(app.clock.nowMs / 1000) + 3600]);
  assert.deepEqual(claims, {
    iss: app.issuer,
    aud: AUDIENCE,
    email: 'ada@example.com',
    email_verified: true,
    google_email: 'ada@example.com',
    name: "Ada O'Neill",
    twitter_username: 'ada_x',
    wallets: [],
    market_admin: true,
  });

  const id = await verify(body['id_token'] ?? '', 'site');
  assert.deepEqual([id.sub, id['nonce']], [sub, 'n0nce']);
  await assert.rejects(verify(body['id_token'] ?? '', AUDIENCE), /aud/);
});

test('a demo person signs in with one click', async () => {
  const pkce = createPkce();
  const code = await signInForCode(pkce, { person: 'rowan' });
  const { access_token: token } = (await (await exchange(code, pkce)).json()) as { access_token: string };
  const claims = await verify(token, AUDIENCE);
  assert.deepEqual([claims['email'], claims['market_admin']], ['rowan@example.com', true]);
});

test('an authorization code with a wrong verifier, client or redirect gives no token and is spent', async () => {
  for (const change of [{ code_verifier: createPkce().verifier }, { client_id: 'other' }, { redirect_uri: `${APP}/callback` }]) {
    const pkce = createPkce();
    const code = await signInForCode(pkce);
    assert.equal(await readError(await exchange(code, pkce, change)), '400 invalid_grant');
    assert.equal(await readError(await exchange(code, pkce)), '400 invalid_grant');
  }
});

test('an authorization code works once', async () => {
  const pkce = createPkce();
  const code = await signInForCode(pkce);
  assert.equal((await exchange(code, pkce)).status, 200);
  assert.equal(await readError(await exchange(code, pkce)), '400 invalid_grant');
});

test('an authorization code is valid for 60 seconds', async () => {
  const pkce = createPkce();
  const inTime = await signInForCode(pkce);
  app.clock.nowMs += 59_000;
  assert.equal((await exchange(inTime, pkce)).status, 200);
  const late = await signInForCode(pkce);
  app.clock.nowMs += 60_000;
  assert.equal(await readError(await exchange(late, pkce)), '400 invalid_grant');
});

test('the token endpoint names the error of an invalid request', async () => {
  const pkce = createPkce();
  const json = await fetch(`${app.issuer}/token`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
  assert.equal(await readError(json), '400 invalid_request');
  assert.equal(await readError(await exchange('', pkce)), '400 invalid_request');
  assert.equal(await readError(await exchange('unknown', pkce)), '400 invalid_grant');
  assert.equal(await readError(await exchange(await signInForCode(pkce), pkce, { code_verifier: 'short' })), '400 invalid_request');
  assert.equal(await readError(await exchange('x', pkce, { grant_type: 'password' })), '400 unsupported_grant_type');
  const twice = new URLSearchParams({ grant_type: 'authorization_code' });
  twice.append('grant_type', 'authorization_code');
  assert.equal(await readError(await post('/token', twice)), '400 invalid_request');
  assert.equal(await readError(await exchange('x'.repeat(20_000), pkce)), '413 invalid_request');
});
