/** Forged sign-in tokens against a running service with an identity provider of its own. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  encode,
  first,
  intruder,
  issuer,
  jwksUri,
  provider,
  signPayload,
  toJwk,
} from '../../packages/server/src/platform/idp/idp-token-test-provider.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ IDP_ISSUER: issuer, IDP_AUDIENCE: 'market', IDP_JWKS_URI: jwksUri, ADMIN_EMAILS: 'ops@example.com' });
});
after(() => market.close());

const seconds = () => Math.floor(Date.now() / 1000);
const claims = () => ({ iss: issuer, aud: 'market', sub: 'usr_victim', iat: seconds(), exp: seconds() + 600 });
const whoami = (key: string) => call(market.url, 'GET /api/auth/whoami', { key });

function hmacToken(secret: string | Buffer): string {
  const input = `${encode({ alg: 'HS256', kid: first.kid })}.${encode(claims())}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const pem = first.publicKey.export({ format: 'pem', type: 'spki' });
const good = () => signPayload(first, claims());
const [goodHeader = '', goodPayload = '', goodSignature = ''] = good().split('.');

/** Title, and a function that makes the token when the test runs, because tokens carry the time. */
const forgeries: readonly [string, () => string][] = [
  ['alg none without signature', () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
  ['alg None', () => `${encode({ alg: 'None' })}.${encode(claims())}.`],
  ['alg none with the good signature', () => `${encode({ alg: 'none', kid: first.kid })}.${goodPayload}.${goodSignature}`],
  ['no alg', () => `${encode({ kid: first.kid })}.${goodPayload}.${goodSignature}`],
  ['HS256 keyed with the public key', () => hmacToken(pem)],
  ['HS256 keyed with the public JWK', () => hmacToken(JSON.stringify(toJwk(first)))],
  ['HS256 keyed with nothing', () => hmacToken('')],
  ['another algorithm name', () => signPayload(first, claims(), { alg: 'ES384' })],
  ['RS256 header', () => signPayload(first, claims(), { alg: 'RS256' })],
  ['a key inside the token', () => signPayload(intruder, claims(), { jwk: toJwk(intruder) })],
  ['a key by jku', () => signPayload(intruder, claims(), { jku: `${issuer}/trap` })],
  ['a certificate by x5u', () => signPayload(intruder, claims(), { x5u: `${issuer}/trap` })],
  ['a foreign key under a known kid', () => signPayload(intruder, claims(), { kid: first.kid })],
  ['a kid that is a path', () => signPayload(intruder, claims(), { kid: '../../../dev/null' })],
  ['a kid that is SQL', () => signPayload(intruder, claims(), { kid: `' union select 'x` })],
  ['no kid, foreign key', () => signPayload(intruder, claims(), { kid: undefined })],
  ['another issuer', () => signPayload(first, { ...claims(), iss: 'https://elsewhere.example' })],
  ['an issuer that only begins like ours', () => signPayload(first, { ...claims(), iss: `${issuer}.elsewhere.example` })],
  ['no issuer', () => signPayload(first, { ...claims(), iss: undefined })],
  ['another audience', () => signPayload(first, { ...claims(), aud: 'another-app' })],
  ['a list of other audiences', () => signPayload(first, { ...claims(), aud: ['another-app', 'market-admin'] })],
  ['no audience', () => signPayload(first, { ...claims(), aud: undefined })],
  ['expired an hour ago', () => signPayload(first, { ...claims(), iat: seconds() - 7200, exp: seconds() - 3600 })],
  ['no expiry', () => signPayload(first, { ...claims(), exp: undefined })],
  ['an expiry that is text', () => signPayload(first, { ...claims(), exp: '9999999999' })],
  ['not valid yet', () => signPayload(first, { ...claims(), nbf: seconds() + 600 })],
  ['no subject', () => signPayload(first, { ...claims(), sub: undefined })],
  ['an empty subject', () => signPayload(first, { ...claims(), sub: '' })],
  ['a subject that is an object', () => signPayload(first, { ...claims(), sub: { $ne: null } })],
  ['another payload under a good signature', () => `${goodHeader}.${encode({ ...claims(), sub: 'usr_admin' })}.${goodSignature}`],
  ['a signature cut short', () => good().slice(0, -4)],
  ['no signature', () => good().replace(/[^.]*$/, '')],
  ['four parts', () => `${good()}.AAAA`],
  ['an unknown critical header', () => signPayload(first, claims(), { crit: ['exp'], exp: 1 })],
];

test('A13: the valid token is accepted', async () => {
  const reply = await whoami(good());
  assert.deepEqual(reply.body['data']?.user, { idp_user_id: 'usr_victim', name: null, admin: false });
});

for (const [title, forge] of forgeries) {
  test(`A13: a forged or misused token is refused: ${title}`, async () => {
    const token = forge();
    for (const reply of [await whoami(token), await call(market.url, 'POST /api/auth/user', { body: { idp_access_token: token } })]) {
      assert.deepEqual([reply.status, reply.body['code']], [401, 'invalid_token']);
    }
    const byCookie = await call(market.url, 'GET /api/auth/whoami', { headers: { cookie: `idp-token=${token}` } });
    assert.equal(byCookie.body['data'].user, null);
  });
}

test('A13: no URL named inside a token is ever called', () => assert.equal(provider.trapHits, 0));

test('A13: a token’s own claim cannot make its bearer an administrator', async () => {
  const attempts = [
    { market_admin: true },
    { admin: true, role: 'admin', roles: ['admin'] },
    { email: 'ops@example.com' },
    { email: 'ops@example.com', email_verified: false },
    { email: ['ops@example.com'], email_verified: true },
    { email: 'ops@example.com\u0000', email_verified: true },
  ];
  for (const extra of attempts) {
    const reply = await whoami(signPayload(first, { ...claims(), ...extra }));
    assert.equal(reply.body['data'].user.admin, false, JSON.stringify(extra));
  }
  const real = await whoami(signPayload(first, { ...claims(), email: 'ops@example.com', email_verified: true }));
  assert.equal(real.body['data'].user.admin, true);
});

test('A14: a flood of invented key ids costs the provider at most one fetch, and valid tokens still work', async () => {
  await whoami(good());
  const before = provider.keyFetches;
  const flood = Array.from({ length: 1_000 }, (_, n) => whoami(signPayload(intruder, claims(), { kid: `invented-${n}` })));
  const honest = await whoami(good());
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
  assert.deepEqual([...statuses], [401]);
  assert.equal(honest.status, 200);
  assert.ok(provider.keyFetches - before <= 1, `${provider.keyFetches - before} fetches`);
});
