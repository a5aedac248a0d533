/** Attacks through a visitor's browser: payments with cookies alone, and redirects to a host that nobody consented to. */
import { after, before, test } from 'node:test';
import { countRows, openAccount, openWalletSession, requireOutcomes, type Steps } from '../../harness/authority.ts';
import { type CallOptions, call } from '../../harness/http.ts';
import { transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { authorizePath, newPkce, registerProgram } from '../../harness/oauth.ts';
import { type Buyer, listService, openBuyer, openProvider } from '../../harness/orders.ts';

const NETWORK = 'base-mainnet';

let market: TestMarket;
let url: string;
/** A service of the thief; it costs a machine 5.50. */
let bait: string;
/** Cookies of browsers in which the wallet's owner is signed in. */
let cookies: Readonly<Record<string, string>>;
let victim: Buyer;
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
  bait = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'Nothing at all' });
  victim = await openBuyer(market, NETWORK);
  const { token } = await openAccount(url, victim);
  cookies = { 'a wallet session': await openWalletSession(url, victim), 'an account': `idp-token=${token}` };
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);
const pays = () => victim.payer.pay(victim.payer.chain.treasury, 5_500_000n);

/** Headers by which a browser marks a request of another site. */
const signs: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
];
const REFUSALS = ['403 cross_site_request', '409 payment_reserved'];
const brief = 'brief=All%20of%20it%20for%20me';

for (const sign of signs) {
  test(`V17: a cookie alone pays by no GET from another site (${JSON.stringify(sign)})`, async () => {
    const steps: Record<string, Steps[string]> = {};
    for (const [whose, cookie] of Object.entries(cookies)) {
      for (const path of [`/${bait}?${brief}`, `?service_id=${bait}&${brief}`]) {
        const reference = await pays();
        const headers = { cookie, ...transferProof(NETWORK, reference), ...sign };
        const way = `the cookie of ${whose}, by ${path.startsWith('/') ? 'path' : 'query'}`;
        steps[way] = [await send(`GET /api/x402/discover${path}`, { headers }), ...REFUSALS];
        steps[`transfers spent with ${way}`] = [await countRows(market, 'payment_claims', 'reference', reference), 0];
      }
    }
    requireOutcomes(steps);
  });
}

test('V17: a read token in the address does not let another site pay with a cookie', async () => {
  const thief = await openBuyer(market, NETWORK);
  const proof = transferProof(NETWORK, await thief.payer.pay(thief.payer.chain.treasury, 5_500_000n));
  const hired = await send(`GET /api/x402/discover/${bait}?${brief}`, { headers: proof });
  const token = String(hired.body['data']?.read_token);
  const steps: Record<string, Steps[string]> = { 'an order of the thief': [hired, '200'] };
  for (const [whose, cookie] of Object.entries(cookies)) {
    const headers = { cookie, ...transferProof(NETWORK, await pays()), 'sec-fetch-site': 'cross-site' };
    const reply = await send(`GET /api/x402/discover/${bait}?${brief}&read_token=${token}`, { headers });
    steps[`its token beside the cookie of ${whose}`] = [reply, '403 cross_site_request'];
  }
  requireOutcomes(steps);
});

test('V17: the site’s own pages pay with a cookie', async () => {
  const steps: Record<string, Steps[string]> = {};
  for (const [whose, cookie] of Object.entries(cookies)) {
    const headers = { cookie, ...transferProof(NETWORK, await pays()), 'sec-fetch-site': 'same-origin' };
    steps[whose] = [await send(`GET /api/x402/discover/${bait}?${brief}`, { headers }), '200'];
  }
  requireOutcomes(steps);
});

const LANDING = 'https://evil.example/sign-in-again';

/** Authorization requests that fail before the person is asked. */
const faulty: Readonly<Record<string, Record<string, string>>> = {
  'another response type': { response_type: 'token' },
  'no response type': { response_type: '' },
  'no PKCE': { code_challenge: '', code_challenge_method: '' },
  'plain PKCE': { code_challenge_method: 'plain' },
  'another resource': { resource: 'https://evil.example/mcp' },
  'no page at all': { prompt: 'none' },
  'an unknown response mode': { response_mode: 'nothing' },
  'a request object': { request: 'e30.e30.' },
};

test('V18: an error of a program’s request never redirects to a host that nobody consented to', async () => {
  const clientId = await registerProgram(url, { redirect_uris: [LANDING] });
  const { challenge } = newPkce();
  const steps: Record<string, Steps[string]> = {};
  const pathWith = (more: Record<string, string> = {}) => authorizePath({ clientId, challenge, more: { redirect_uri: LANDING, ...more } });
  const paths = Object.entries(faulty).map(([fault, more]) => [fault, pathWith(more)] as const);
  for (const [fault, path] of [...paths, ['two scopes', `${pathWith()}&scope=read`]] as const) {
    const reply = await send(`GET ${path}`, { headers: { accept: 'text/html' } });
    steps[`${fault}: goes to`] = [reply.headers.get('location'), null];
    steps[`${fault}: status`] = [reply.status, 400];
    steps[`${fault}: the page leads there`] = [JSON.stringify(reply.body).includes(LANDING), false];
  }
  requireOutcomes(steps);
});
