import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { MarketError } from '@market/contract';
import type { IdpVerifier } from './idp-token.ts';
import {
  audience,
  encode,
  first,
  goodClaims,
  intruder,
  issuer,
  jwksUri,
  makeVerifier,
  provider,
  refusedAs,
  resetProvider,
  signPayload,
  signToken,
  startSeconds,
  toJwk,
} from './idp-token-test-provider.ts';

let idp: IdpVerifier;

beforeEach(() => {
  resetProvider();
  idp = makeVerifier({ jwksUri });
});

describe('tokens', () => {
  test('a valid token proves the person, with the profile of its claims', async () => {
    const identity = await idp.verify(signToken(first, { email: 'OPS@example.com', email_verified: true, name: 'Ops' }));
    assert.deepEqual([identity.userId, identity.email, identity.name, identity.admin], ['usr_1', 'OPS@example.com', 'Ops', true]);
    assert.equal((await idp.verify(signToken(first, { aud: ['other', audience] }))).userId, 'usr_1');
    assert.equal((await idp.verify(signToken(first, {}, { kid: undefined }))).userId, 'usr_1', 'one key needs no key id');
  });

  test('market_admin is honoured only by a verifier configured to trust it', async () => {
    const token = signToken(first, { market_admin: true });
    assert.equal((await idp.verify(token)).admin, false);
    assert.equal((await makeVerifier({ jwksUri, trustAdminClaim: true }).verify(token)).admin, true);
  });

  test('RSA and Ed25519 providers work only when their algorithm is configured', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const edwards = generateKeyPairSync('ed25519');
    const keys = [
      { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'rsa' },
      { ...edwards.publicKey.export({ format: 'jwk' }), kid: 'edwards' },
      toJwk(first),
    ];
    provider.answerKeys = (response) => response.end(JSON.stringify({ keys }));
    const rsaInput = `${encode({ alg: 'RS256', kid: 'rsa' })}.${encode(goodClaims())}`;
    const edwardsInput = `${encode({ alg: 'EdDSA', kid: 'edwards' })}.${encode(goodClaims())}`;
    const tokens: Record<string, string> = {
      ES256: signToken(first),
      RS256: `${rsaInput}.${sign('sha256', Buffer.from(rsaInput), rsa.privateKey).toString('base64url')}`,
      EdDSA: `${edwardsInput}.${sign(null, Buffer.from(edwardsInput), edwards.privateKey).toString('base64url')}`,
    };
    for (const configured of Object.keys(tokens)) {
      const verifier = makeVerifier({ jwksUri, algorithms: [configured] });
      for (const [algorithm, token] of Object.entries(tokens)) {
        if (algorithm === configured) assert.equal((await verifier.verify(token)).userId, 'usr_1');
        else await assert.rejects(verifier.verify(token), refusedAs('invalid_token'));
      }
    }
  });

  const pem = () => first.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const hmacToken = (secret: string, header: Record<string, unknown>) => {
    const input = `${encode(header)}.${encode(goodClaims())}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };
  const [goodHeader, goodPayload, goodSignature] = signToken(first).split('.');
  const forged: Record<string, () => string> = {
    'no algorithm': () => `${encode({ alg: 'none' })}.${encode(goodClaims())}.`,
    'no algorithm, odd case': () => `${encode({ alg: 'nOnE', kid: first.kid })}.${encode(goodClaims())}.`,
    'no algorithm with a real signature': () => signToken(first, {}, { alg: 'none' }),
    'HS256 keyed with the public key in PEM': () => hmacToken(pem(), { alg: 'HS256', kid: first.kid }),
    'HS256 keyed with the public key as JWK': () => hmacToken(JSON.stringify(toJwk(first)), { alg: 'HS256', kid: first.kid }),
    'an algorithm other than the configured one': () => signToken(first, {}, { alg: 'ES384' }),
    'the signature of another key under a known key id': () => signToken({ ...intruder, kid: first.kid }),
    'a key embedded in the header': () => signToken(intruder, {}, { kid: first.kid, jwk: toJwk(intruder) }),
    'a key set URL in the header': () => signToken(intruder, {}, { jku: `${issuer}/trap` }),
    'a certificate URL in the header': () => signToken(intruder, {}, { kid: first.kid, x5u: `${issuer}/trap` }),
    'a certificate in the header': () =>
      signToken(intruder, {}, { kid: first.kid, x5c: [intruder.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] }),
    'a key id that is a path': () => signToken(intruder, {}, { kid: '../../dev/null' }),
    'a key id that is a URL': () => signToken(intruder, {}, { kid: `${issuer}/trap` }),
    'a key id that is SQL': () => signToken(intruder, {}, { kid: "x' OR 1=1 --" }),
    'a key id that is not text': () => signToken(first, {}, { kid: { toString: 'key-1' } }),
    'an unknown critical extension': () => signToken(first, {}, { crit: ['x'], x: 1 }),
    'an unencoded payload': () => signToken(first, {}, { crit: ['b64'], b64: false }),
    'another issuer': () => signToken(first, { iss: 'https://evil.example' }),
    'an issuer that only begins right': () => signToken(first, { iss: `${issuer}/` }),
    'no issuer': () => signToken(first, { iss: undefined }),
    'another audience': () => signToken(first, { aud: 'other' }),
    'other audiences': () => signToken(first, { aud: ['other', 'market2'] }),
    'no audience': () => signToken(first, { aud: undefined }),
    'an expiry in the past': () => signToken(first, { exp: startSeconds - 31 }),
    'no expiry': () => signToken(first, { exp: undefined }),
    'an expiry that is text': () => signToken(first, { exp: String(startSeconds + 600) }),
    'a start in the future': () => signToken(first, { nbf: startSeconds + 31 }),
    'no subject': () => signToken(first, { sub: undefined }),
    'an empty subject': () => signToken(first, { sub: '' }),
    'a subject that is a number': () => signToken(first, { sub: 7 }),
    'another payload under a real signature': () => `${goodHeader}.${encode({ ...goodClaims(), sub: 'usr_2' })}.${goodSignature}`,
    'no signature': () => `${goodHeader}.${goodPayload}.`,
    'a missing part': () => `${goodHeader}.${goodPayload}`,
    'five parts, as encrypted tokens have': () => `${goodHeader}.${goodPayload}.${goodSignature}.a.b`,
    'an empty text': () => '',
    'no token at all': () => 'Bearer',
    'a header that is no JSON': () => `e30x.${goodPayload}.${goodSignature}`,
    'a payload that is a list': () => signPayload(first, [goodClaims()]),
    'a payload that is text': () => signPayload(first, 'usr_1'),
    'more than 8 KiB': () => signToken(first, { pad: 'x'.repeat(8192) }),
  };
  for (const [what, makeToken] of Object.entries(forged)) {
    test(`a token is refused with 401: ${what}`, async () => {
      await assert.rejects(idp.verify(makeToken()), refusedAs('invalid_token'));
      assert.equal(provider.trapHits, 0, 'no address named by a token is ever called');
    });
  }

  test('a token may come from a clock that differs by 30 seconds', async () => {
    await idp.verify(signToken(first, { exp: startSeconds - 29 }));
    await idp.verify(signToken(first, { nbf: startSeconds + 30 }));
  });

  const reasons: readonly (readonly [RegExp, () => string])[] = [
    [/it has expired/, () => signToken(first, { exp: 1 })],
    [/not valid yet/, () => signToken(first, { nbf: startSeconds + 60 })],
    [/issuer \(iss\) is not http/, () => signToken(first, { iss: 'https://evil.example' })],
    [/audience \(aud\) is not market/, () => signToken(first, { aud: 'other' })],
    [/algorithm is not one of ES256/, () => signToken(first, {}, { alg: 'ES384' })],
    [/signature does not match/, () => signToken({ ...intruder, kid: first.kid })],
    [/no key with its key id/, () => signToken(intruder, {}, { kid: 'unknown' })],
    [/claim exp is missing/, () => signToken(first, { exp: undefined })],
    [/not a well-formed signed JWT/, () => 'Bearer'],
  ];
  for (const [reason, makeToken] of reasons) {
    test(`a refused token has its reason in the answer and in the log: ${reason.source}`, async () => {
      const logged: string[] = [];
      const verifier = makeVerifier({ jwksUri, onRefusal: (words) => logged.push(words) });
      const error: unknown = await verifier.verify(makeToken()).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof MarketError);
      assert.match(error.message, reason);
      assert.match(logged.join(), reason);
    });
  }

  test('a refusal contains none of the claims', async () => {
    const token = signToken(first, { exp: 1, email: 'ines@example.com', sub: 'usr_secret' });
    const error: unknown = await idp.verify(token).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof MarketError);
    assert.doesNotMatch(inspect(error, { depth: 9 }), /ines@|usr_secret/);
  });
});

test('symmetric, missing and unknown algorithms, and an empty issuer or audience, are refused at start', () => {
  for (const algorithms of [[], ['HS256'], ['none'], ['ES256', 'HS512'], ['es256'], ['']])
    assert.throws(() => makeVerifier({ algorithms }), TypeError);
  assert.throws(() => makeVerifier({ issuer: '' }), TypeError);
  assert.throws(() => makeVerifier({ audience: '' }), TypeError);
});
