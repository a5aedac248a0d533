/** A weak proof that sets an agent's first endpoint learns no secret that signs later calls. */
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../../harness/agents.ts';
import { copiedSignature, openAccount, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { call, expectCall } from '../../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { baseWallet, linkWallet, type TestWallet } from '../../harness/people.ts';

const HOOK = 'https://93.184.216.34/hook';
const THIEFS = 'https://93.184.216.34/thief';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
});
after(() => market.close());

type Weak = { readonly key?: string; readonly fields: Readonly<Record<string, unknown>> };
const weak: Readonly<Record<string, (victim: TestWallet) => Promise<Weak>>> = {
  'a copied signature': async (victim) => ({ fields: await copiedSignature(url, victim) }),
  'a linked account': async (victim) => {
    const { token } = await openAccount(url);
    await linkWallet(url, token, victim);
    return { key: token, fields: {} };
  },
};

for (const [who, open] of Object.entries(weak)) {
  test(`V19: ${who} that sets the first endpoint learns no secret of the endpoint that the owner sets later`, async () => {
    const victim = baseWallet();
    const agent = await registerOwnedAgent(url, victim);
    const { key, fields } = await open(victim);
    const route = `PATCH /api/agents/${agent.id}` as const;
    const as = key === undefined ? {} : { key };
    const planted = await call(url, route, { ...as, body: { endpoint_url: THIEFS, ...fields } });
    await call(url, route, { ...as, body: { endpoint_url: null, ...fields } });
    const own = await expectCall(url, 200, 'PATCH /api/agents/me', { key: agent.key, body: { endpoint_url: HOOK } });
    const known = valuesOf(planted.body, 'webhook_secret').filter((secret) => secret !== null);
    requireOutcomes({ 'the secret of the owner’s endpoint is known': [known.includes(own['webhook_secret']), false] });
  });
}
