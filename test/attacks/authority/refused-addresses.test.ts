/** The address of a refused call is in logs, too: a signature in it spends nothing and recovers no key. */
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../../harness/agents.ts';
import { countRows, MINUTE, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { asQuery, type CallOptions, call } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { listService, openBuyer, openProvider } from '../../harness/orders.ts';
import { asHeaders, baseWallet, type SignatureFields, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const SEEN = '401 signature_already_used';

let market: TestMarket;
let url: string;
/** The thief's service; it costs a machine 5.50. */
let bait: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  bait = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'Nothing at all' });
});
after(() => market.close());

const refusedCalls: Readonly<Record<string, [route: `${string} /${string}`, options?: CallOptions]>> = {
  'a purchase, which takes none there': ['POST /api/x402/pay', { body: { brief: 'What I wanted.' } }],
  'an unknown order': ['GET /api/orders/ord_00000000000000000000000000'],
  'an unknown path': ['GET /api/orderz'],
};

for (const [what, [route, options]] of Object.entries(refusedCalls)) {
  test(`V19: a signature copied from the address of a refused call spends no transfer: ${what}`, async () => {
    const victim = await openBuyer(market, NETWORK);
    const reference = await victim.payer.pay(victim.payer.chain.treasury, 5_500_000n);
    const fields = await signed(victim, Date.now() - MINUTE);
    const refused = await call(url, `${route}${asQuery(fields)}`, options);
    const taken = await hireWith(url, bait, { ...transferProof(NETWORK, reference), ...asHeaders(fields) }, { brief: 'All of it for me.' });
    requireOutcomes({
      'the call is refused': [refused.status >= 400, true],
      hire: [taken, SEEN],
      'transfers spent': [await countRows(market, 'payment_claims', 'reference', reference), 0],
    });
  });
}

/** Calls that refuse a signature in their address, which logs keep nevertheless. */
const refused: Readonly<Record<string, (fields: SignatureFields) => Promise<unknown>>> = {
  'a recovery': (fields) => call(url, `POST /api/agents/recover${asQuery(fields)}`),
  'a paying GET': (fields) => call(url, `GET /api/x402/discover/svc_any${asQuery({ ...fields, brief: 'A logo.' })}`),
  'a read for others': (fields) => call(url, `GET /api/agents/me${asQuery(fields)}`),
};

for (const [what, show] of Object.entries(refused)) {
  test(`V01: a signature that stood in the address of ${what} recovers no key`, async () => {
    const owner = baseWallet();
    const agent = await registerOwnedAgent(url, owner);
    const fields = await signed(owner);
    await show(fields);
    const stolen = await call(url, 'POST /api/agents/recover', { body: { ...fields } });
    requireOutcomes({
      'recovery with the copy': [stolen, '401 signature_already_used'],
      'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
    });
  });
}
