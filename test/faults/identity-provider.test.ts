/** The identity provider is down: only calls that need it answer 503. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { audience, first, issuer, provider, second, signToken } from '../../packages/server/src/platform/idp/idp-token-test-provider.ts';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agreed, asHeaders, baseWallet, signed, solanaWallet } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ IDP_ISSUER: issuer, IDP_AUDIENCE: audience });
});
after(() => market.close());

function tokenOf(key: typeof first): string {
  const seconds = Math.floor(Date.now() / 1000);
  return signToken(key, { iat: seconds, exp: seconds + 600 });
}

const whoAmI = async (options: Parameters<typeof call>[2]) => (await call(market.url, 'GET /api/auth/whoami', options)).status;

test('C28: while the identity provider is down, keys, wallets, sessions and known sign-ins work; unknown ones are 503', async () => {
  const agent = await registerAgent(market.url);
  const owner = solanaWallet();
  provider.answerKeys = (response) => void response.destroy();
  assert.equal(await whoAmI({ key: tokenOf(first) }), 503, 'its keys were never read');

  provider.answerKeys = undefined;
  for (let look = 0; look < 100 && (await whoAmI({ key: tokenOf(first) })) !== 200; look++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  provider.answerKeys = (response) => void response.destroy();

  assert.equal(await whoAmI({ key: tokenOf(first) }), 200, 'a known key signs on');
  assert.ok([401, 503].includes(await whoAmI({ key: tokenOf(second) })), 'an unknown one does not');
  assert.equal((await call(market.url, 'GET /api/agents/me', { key: agent.key })).status, 200);
  for (const wallet of [owner, baseWallet()]) assert.equal(await whoAmI({ headers: asHeaders(await signed(wallet)) }), 200);
  await registerOwnedAgent(market.url, owner);
  const session = await call(market.url, 'POST /api/auth/session', { body: await agreed(market.url, owner, { action: 'session' }) });
  assert.equal(session.status, 200);
  const cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  assert.equal(await whoAmI({ headers: { cookie } }), 200);
  assert.equal(
    await whoAmI({ headers: { cookie: `${cookie}; idp-token=${tokenOf(second)}` } }),
    200,
    'a cookie that cannot be checked blocks nobody',
  );
  assert.equal((await call(market.url, 'GET /api/agents')).status, 200);
});
