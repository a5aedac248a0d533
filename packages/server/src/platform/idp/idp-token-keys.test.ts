import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, test } from 'node:test';
import type { MarketError } from '@market/contract';
import type { IdpVerifier } from './idp-token.ts';
import { createIdpKeys, readKeysUri } from './idp-token-keys.ts';
import {
  encode,
  first,
  goodClaims,
  issuer,
  jwksUri,
  keySetOf,
  makeVerifier,
  provider,
  refusedAs,
  resetProvider,
  second,
  signToken,
  startSeconds,
} from './idp-token-test-provider.ts';

const startMs = startSeconds * 1000;
const down = (response: ServerResponse) => response.destroy();
let idp: IdpVerifier;

beforeEach(() => {
  resetProvider();
  idp = makeVerifier({ jwksUri });
});

describe('key rotation', () => {
  test('A14: a new key is accepted at most 30 seconds after the last fetch', async () => {
    await idp.verify(signToken(first));
    provider.keys = [first, second];
    await assert.rejects(idp.verify(signToken(second)), refusedAs('invalid_token'));
    provider.nowMs += 30_000;
    assert.equal((await idp.verify(signToken(second))).userId, 'usr_1');
    assert.equal(provider.keyFetches, 2);
  });

  test('a withdrawn key stops working within 10 minutes', async () => {
    await idp.verify(signToken(first));
    provider.keys = [second];
    provider.nowMs += 10 * 60_000;
    await assert.rejects(idp.verify(signToken(first, { exp: provider.nowMs / 1000 + 60 })), refusedAs('invalid_token'));
  });

  test('a system clock set back does not block new keys', async () => {
    await idp.verify(signToken(first));
    provider.keys = [second];
    provider.nowMs -= 3_600_000;
    assert.equal((await idp.verify(signToken(second))).userId, 'usr_1');
  });

  test('A14: a flood of invented key ids causes one fetch per 30 seconds', async () => {
    await idp.verify(signToken(first));
    const body = `${encode(goodClaims())}.${goodLookingSignature}`;
    const flood = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          assert.rejects(idp.verify(`${encode({ alg: 'ES256', kid: randomUUID() })}.${body}`), refusedAs('invalid_token')),
        ),
      );
    await flood(1000);
    assert.equal(provider.keyFetches, 1);
    provider.nowMs += 30_000;
    await flood(1000);
    await flood(1000);
    assert.equal(provider.keyFetches, 2);
  });

  test('a thousand sign-ins at a cold start cause one fetch', async () => {
    const token = signToken(first);
    await Promise.all(Array.from({ length: 1000 }, () => idp.verify(token)));
    assert.equal(provider.keyFetches, 1);
  });

  test('keys are refreshed in the background before they expire', async () => {
    await idp.verify(signToken(first));
    provider.nowMs += 5 * 60_000;
    provider.keys = [first, second];
    await idp.verify(signToken(first));
    await waitFor(() => provider.keyFetches === 2);
    await waitFor(() =>
      idp.verify(signToken(second)).then(
        () => true,
        () => false,
      ),
    );
    assert.equal(provider.keyFetches, 2);
  });
});

describe('an identity provider that is down', () => {
  test('C28: an identity provider that is down leaves known keys valid for 10 minutes, then sign-in is a 503', async () => {
    await idp.verify(signToken(first));
    provider.answerKeys = down;
    const token = signToken(first, { exp: startSeconds + 3600 });
    for (provider.nowMs of [startMs + 60_000, startMs + 5 * 60_000, startMs + 6 * 60_000, startMs + 10 * 60_000 - 1])
      await idp.verify(token);
    provider.nowMs = startMs + 10 * 60_000;
    await assert.rejects(idp.verify(token), refusedAs('idp_unavailable'));
    provider.answerKeys = undefined;
    provider.nowMs += 2_000;
    await idp.verify(token);
  });

  test('an identity provider that is down makes an unknown key a 503, with one attempt per 30 seconds', async () => {
    await idp.verify(signToken(first));
    provider.answerKeys = down;
    provider.nowMs += 30_000;
    for (let count = 0; count < 50; count++) await assert.rejects(idp.verify(signToken(second)), refusedAs('idp_unavailable'));
    assert.equal(provider.keyFetches, 2);
    await idp.verify(signToken(first));

    provider.answerKeys = undefined;
    provider.nowMs += 30_000;
    await assert.rejects(idp.verify(signToken(second)), refusedAs('invalid_token'));
    await assert.rejects(idp.verify(signToken(second)), refusedAs('invalid_token'), 'the outage is over');
  });

  test('an identity provider that is down is, without cached keys, a 503 with Retry-After and one attempt per 2 seconds', async () => {
    provider.answerKeys = down;
    for (let count = 0; count < 50; count++) {
      await assert.rejects(
        idp.verify(signToken(first)),
        (error) => refusedAs('idp_unavailable')(error) && (error as MarketError).retryAfterSeconds === 2,
      );
    }
    assert.equal(provider.keyFetches, 1);
    provider.answerKeys = undefined;
    provider.nowMs += 2_000;
    assert.equal((await idp.verify(signToken(first))).userId, 'usr_1');
  });

  const mishaps: Record<string, (response: ServerResponse) => void> = {
    'an error status': (response) => response.writeHead(500).end(keySetOf(second)),
    'a redirect': (response) => response.writeHead(302, { location: `${issuer}/trap` }).end(),
    'a page instead of JSON': (response) => response.end('<html>'),
    'JSON of another shape': (response) => response.end('{"keys":"none"}'),
    'an empty key set': (response) => response.end('{"keys":[]}'),
    'more than 256 KiB': (response) => response.end(keySetOf(second) + ' '.repeat(256 * 1024)),
  };
  for (const [what, answer] of Object.entries(mishaps)) {
    test(`${what} counts as an identity provider that is down, and leaves the known keys unchanged`, async () => {
      await idp.verify(signToken(first));
      provider.answerKeys = answer;
      provider.nowMs += 30_000;
      await assert.rejects(idp.verify(signToken(second)), refusedAs('idp_unavailable'));
      await idp.verify(signToken(first));
      assert.equal(provider.trapHits, 0);
    });
  }

  test('an identity provider that accepts connections without answering is timed out', async () => {
    provider.answerKeys = () => {};
    const findKey = createIdpKeys({ issuer, jwksUri, now: () => new Date(provider.nowMs), timeoutMs: 50 });
    await assert.rejects(async () => findKey({ alg: 'ES256', kid: 'x' }, { payload: '', signature: '' }), refusedAs('idp_unavailable'));
  });

  test('an identity provider that trickles its answer is timed out', async () => {
    provider.answerKeys = (response) => void response.write('{');
    const findKey = createIdpKeys({ issuer, jwksUri, now: () => new Date(provider.nowMs), timeoutMs: 50 });
    await assert.rejects(async () => findKey({ alg: 'ES256', kid: 'x' }, { payload: '', signature: '' }), refusedAs('idp_unavailable'));
  });
});

describe('discovery', () => {
  test('the key URL comes from the issuer’s discovery document, on demand and once', async () => {
    const discovering = makeVerifier();
    assert.equal(provider.discoveries, 0);
    await discovering.verify(signToken(first));
    provider.keys = [first, second];
    provider.nowMs += 30_000;
    await discovering.verify(signToken(second));
    assert.deepEqual([provider.discoveries, provider.keyFetches], [1, 2]);
  });

  test('a discovery document of another issuer is refused', async () => {
    provider.discoveryIssuer = 'https://evil.example';
    await assert.rejects(makeVerifier().verify(signToken(first)), refusedAs('idp_unavailable'));
    assert.equal(provider.keyFetches, 0);
  });

  test('after a failed discovery the key URL is fetched again', async () => {
    const discovering = makeVerifier();
    await discovering.verify(signToken(first));
    provider.answerKeys = down;
    provider.nowMs += 30_000;
    await assert.rejects(discovering.verify(signToken(second)), refusedAs('idp_unavailable'));
    provider.answerKeys = undefined;
    provider.keys = [second];
    provider.nowMs += 30_000;
    await discovering.verify(signToken(second));
    assert.equal(provider.discoveries, 2);
  });

  test('an https issuer cannot point to keys without TLS or with another scheme', () => {
    const named = 'https://id.example.com';
    assert.equal(readKeysUri({ issuer: named, jwks_uri: 'https://keys.example.com/jwks' }, named), 'https://keys.example.com/jwks');
    for (const jwks_uri of ['http://keys.example.com/jwks', 'file:///etc/passwd', 'data:application/json,{}', '', undefined]) {
      assert.throws(() => readKeysUri({ issuer: named, jwks_uri }, named), Error);
    }
  });
});

const goodLookingSignature = Buffer.alloc(64, 1).toString('base64url');

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 2000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, 'waited 2 s in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
