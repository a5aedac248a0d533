import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { createDevelopmentIdentityProvider } from './provider.ts';
import { APP, AUDIENCE, authorizeUrl, get, readError, startProvider, startTestApp, stopTestApp, type TestApp, verify } from './test-app.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(stopTestApp);

test('a person keeps one user id for any spelling of the address, also after a restart', async () => {
  const first = await app.provider.issueToken({ email: 'Zoe@Example.com' });
  const restarted = await startProvider();
  const second = await restarted.issueToken({ email: ' zoe@example.COM ' });
  assert.equal(first.user_id, second.user_id);
  assert.equal((await verify(second.access_token, AUDIENCE)).sub, first.user_id);
  assert.notEqual((await app.provider.issueToken({ email: 'zoe@example.org' })).user_id, first.user_id);
});

test('a directly issued token has the asserted claims, stores the person, and grants admin only on request', async () => {
  const wallets = [
    { chain: 'base', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
    { chain: 'solana', address: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK' },
  ] as const;
  const first = await app.provider.issueToken({ email: 'kim@example.com', name: 'Kim', wallets, admin: true });
  assert.deepEqual([first.token_type, first.expires_in], ['Bearer', 3600]);
  const claims = await verify(first.access_token, AUDIENCE);
  assert.deepEqual([claims['name'], claims['wallets'], claims['market_admin']], ['Kim', wallets, true]);
  const second = await verify((await app.provider.issueToken({ email: 'kim@example.com' })).access_token, AUDIENCE);
  assert.deepEqual([second['name'], second['wallets'], second['market_admin']], ['Kim', wallets, undefined]);
  await assert.rejects(app.provider.issueToken({ email: 'nobody' }), { name: 'InvalidPersonError', field: 'email' });
});

test('a rotation of signing keys signs with a new key and keeps old tokens valid', async () => {
  const old = await app.provider.issueToken({ email: 'kim@example.com' });
  await app.provider.rotate();
  const fresh = await app.provider.issueToken({ email: 'kim@example.com' });
  assert.notEqual(decodeProtectedHeader(fresh.access_token).kid, decodeProtectedHeader(old.access_token).kid);
  assert.equal((await verify(old.access_token, AUDIENCE)).sub, old.user_id);
  assert.equal((await verify(fresh.access_token, AUDIENCE)).sub, fresh.user_id);
});

test('published signing keys contain no private part', async () => {
  const { keys } = (await (await get(app.provider.jwksUri)).json()) as { keys: Record<string, string>[] };
  for (const key of keys) assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

test('discovery, keys and tokens of the identity provider are readable from any origin, the sign-in page from none', async () => {
  for (const path of ['/.well-known/openid-configuration', '/jwks', '/token']) {
    const answer = await fetch(`${app.issuer}${path}`, { method: 'OPTIONS' });
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [204, '*']);
  }
  assert.equal((await get(authorizeUrl())).headers.get('access-control-allow-origin'), null);
  assert.equal((await fetch(`${app.issuer}/authorize`, { method: 'OPTIONS' })).status, 405);
});

test('the identity provider refuses an unknown path or method with its own error', async () => {
  assert.equal(await readError(await get(`${app.issuer}/constructor`)), '404 not_found');
  const wrongMethod = await get(`${app.issuer}/token`);
  assert.equal(wrongMethod.headers.get('allow'), 'POST');
  assert.equal(await readError(wrongMethod), '405 method_not_allowed');
});

test('the identity provider does not start with an invalid issuer or redirect origin', async () => {
  const options = { audience: AUDIENCE, keyFile: join(tmpdir(), 'unused.json'), now: () => new Date(app.clock.nowMs), serviceName: 'x' };
  const start = (address: string, origin: string) =>
    createDevelopmentIdentityProvider({ ...options, issuer: address, allowedRedirectOrigins: [origin] });
  await assert.rejects(start('http://127.0.0.1/idp/', APP), /slash at the end/);
  await assert.rejects(start('idp', APP), /must be an http or https address/);
  await assert.rejects(start(app.issuer, `${APP}/`), /is not an origin/);
});
