/** A provider from npm with its defaults, and a market configured with its issuer and client id: sign-in works. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginSignIn, finishSignIn } from '../../packages/web/src/pages/sign-in/code-flow.ts';
import { call } from '../harness/http.ts';
import { freePort, openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';
import { type RunningProvider, signInAs, startProvider } from './oidc-provider/start-provider.ts';

const CLIENT = 'market-site';

/** All that the provider needs: the client's id, and where people return to. */
const client = (returnTo: string, more: object = {}) => ({
  clients: [{ client_id: CLIENT, redirect_uris: [returnTo], token_endpoint_auth_method: 'none', ...more }],
});

/** A key in the provider's format. */
function newKey(alg: 'RS256' | 'ES256', kid: string): JsonWebKey {
  const { privateKey } =
    alg === 'RS256' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg, kid };
}

const headOf = (token: string): { alg: string; kid: string } => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

describe('an OpenID provider from npm', () => {
  let market: TestMarket;
  let provider: RunningProvider;
  let port: number;
  let returnTo: string;
  before(async () => {
    port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    market = await openMarket({ IDP_ISSUER: issuer, IDP_AUDIENCE: CLIENT, IDP_CLIENT_ID: CLIENT });
    returnTo = `${market.url}/sign-in`;
    provider = await startProvider(port, client(returnTo));
  });
  after(async () => {
    await market.close();
    await provider.stop();
  });

  /** Signs in with the site's own code at both ends and the provider's pages between. */
  async function signIn(login: string): Promise<string> {
    const kept = new Map<string, string>();
    const store = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    };
    const site = { issuer: provider.issuer, clientId: CLIENT };
    const back = await signInAs(login, await beginSignIn(site, returnTo, '/orders', store), returnTo);
    const { accessToken, next } = await finishSignIn(site, back.searchParams, store, exchange);
    assert.equal(next, '/orders');
    return accessToken;
  }

  const exchange = async (code: string, codeVerifier: string): Promise<string> => {
    const reply = await call(market.url, 'POST /api/auth/code', { body: { code, code_verifier: codeVerifier } });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body['data'].access_token;
  };

  const useAtMarket = (token: string) => call(market.url, 'POST /api/auth/user', { key: token });

  let firstToken = '';

  test('npm’s OpenID provider signs a person in by code and PKCE with its default settings (RS256), always to the same account', async () => {
    firstToken = await signIn('ines');
    assert.equal(headOf(firstToken).alg, 'RS256');
    const first = await useAtMarket(firstToken);
    assert.deepEqual([first.status, first.body['data']?.is_new], [200, true], JSON.stringify(first.body));
    const again = await useAtMarket(await signIn('ines'));
    assert.deepEqual([again.status, again.body['data']?.is_new], [200, false], JSON.stringify(again.body));
    assert.equal(again.body['data'].user.id, first.body['data'].user.id);
    const agent = await call(market.url, 'POST /api/agents/register', { key: firstToken, body: agentBody() });
    assert.equal(agent.status, 201, JSON.stringify(agent.body));
    const mine = await call(market.url, 'GET /api/agents/my', { key: firstToken });
    assert.equal(mine.status, 200, JSON.stringify(mine.body));
  });

  test('the OpenID provider’s own error reports an unknown code', async () => {
    const body = { code: 'invented', code_verifier: 'v'.repeat(43) };
    const reply = await call(market.url, 'POST /api/auth/code', { body });
    assert.deepEqual([reply.status, reply.body['code']], [400, 'sign_in_refused'], JSON.stringify(reply.body));
    assert.match(reply.body['error'], /refused the code: .+\. Start the sign-in again\./);
    const short = await call(market.url, 'POST /api/auth/code', { body: { ...body, code_verifier: 'short' } });
    assert.deepEqual([short.status, short.body['code']], [400, 'invalid_input']);
  });

  test('a market without a site client at the provider exchanges no codes', async () => {
    const without = await openMarket({ IDP_ISSUER: provider.issuer, IDP_AUDIENCE: CLIENT });
    try {
      const reply = await call(without.url, 'POST /api/auth/code', { body: { code: 'x', code_verifier: 'v'.repeat(43) } });
      assert.deepEqual([reply.status, reply.body['code']], [503, 'idp_not_configured']);
    } finally {
      await without.close();
    }
  });

  test('A13: an OpenID token for another client is refused, with the reason', async () => {
    const stranger = await openMarket({ IDP_ISSUER: provider.issuer, IDP_AUDIENCE: 'another-site' });
    try {
      const refused = await call(stranger.url, 'POST /api/auth/user', { key: firstToken });
      assert.deepEqual([refused.status, refused.body['code']], [401, 'invalid_token']);
      assert.match(refused.body['error'], /aud/i);
    } finally {
      await stranger.close();
    }
  });

  for (const [n, alg] of (['RS256', 'ES256'] as const).entries()) {
    test(`A14: the OpenID provider rotates to a new ${alg} key, and sign-in continues without a restart of the market`, async () => {
      await provider.stop();
      const kid = `rotated-${n}`;
      provider = await startProvider(port, {
        ...client(returnTo, { id_token_signed_response_alg: alg }),
        jwks: { keys: [newKey(alg, kid)] },
      });
      const token = await signIn('otto');
      assert.deepEqual(headOf(token).kid, kid);
      // For a key it has not seen, the market asks the provider anew, at most once in half a minute.
      let reply = await useAtMarket(token);
      for (let look = 0; look < 45 && reply.status !== 200; look++) {
        assert.equal(reply.status, 401, JSON.stringify(reply.body));
        await sleep(1_000);
        reply = await useAtMarket(token);
      }
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.equal((await useAtMarket(firstToken)).status, 401, 'a withdrawn key signs nobody in');
    });
  }

  test('the OpenID provider signs with ES256 from the start, at a newly started market', async () => {
    const fresh = await openMarket({ IDP_ISSUER: provider.issuer, IDP_AUDIENCE: CLIENT });
    try {
      const token = await signIn('noa');
      assert.equal(headOf(token).alg, 'ES256');
      const reply = await call(fresh.url, 'POST /api/auth/user', { key: token });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    } finally {
      await fresh.close();
    }
  });
});
