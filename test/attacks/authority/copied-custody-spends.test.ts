/** A custody signature that spends is accepted once, too: a copy of it buys nothing else and spends no other transfer. */
import { after, before, test } from 'node:test';
import { countRows, requireOutcomes } from '../../harness/authority.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { type Buyer, listService, openBuyer, openProvider } from '../../harness/orders.ts';
import { asHeaders, signed, signedFor } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const SEEN = '401 signature_already_used';
const BRIEF = 'A logo for a bakery.';

let market: TestMarket;
let url: string;
/** The services of the victim's choice and of the thief; each costs a machine 5.50. */
let wanted: string;
let bait: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  wanted = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'A good logo' });
  bait = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'Nothing at all' });
});
after(() => market.close());

const pays = (buyer: Buyer) => buyer.payer.pay(buyer.payer.chain.treasury, 5_500_000n);

const proofs = {
  ordinary: (victim: Buyer) => signed(victim),
  custody: (victim: Buyer) => signedFor(url, victim, { method: 'POST', path: '/api/x402/pay', body: { brief: BRIEF } }),
};

for (const [kind, sign] of Object.entries(proofs)) {
  test(`V19: a copy of the ${kind} signature of one hire spends no other transfer of the wallet for another service`, async () => {
    const victim = await openBuyer(market, NETWORK);
    const [first, second] = [await pays(victim), await pays(victim)];
    const headers = asHeaders(await sign(victim));
    const own = await hireWith(url, wanted, { ...transferProof(NETWORK, first), ...headers }, { brief: BRIEF });
    const taken = await hireWith(url, bait, { ...transferProof(NETWORK, second), ...headers }, { brief: BRIEF });
    requireOutcomes({
      'the victim hires': [own, '200'],
      'the thief’s hire': [taken, SEEN],
      'transfers spent by the thief': [await countRows(market, 'payment_claims', 'reference', second), 0],
    });
  });
}
