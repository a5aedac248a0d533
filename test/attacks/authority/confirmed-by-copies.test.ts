/** A thief presents a stranger's transfer bare. A copied signature of the payer must not end the payer's time to contest. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { copiedSignature, MINUTE, requireOutcomes } from '../../harness/authority.ts';
import { hireSigned, idOf } from '../../harness/bare-transfers.ts';
import { call } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { type Buyer, deliver, listService, openBuyer, openProvider, type Provider } from '../../harness/orders.ts';
import { asHeaders } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';

let market: TestMarket;
let url: string;
let thief: Provider;
/** The thief's service; it costs a machine 5.50. */
let bait: string;
/** The service that the victim wanted, at the same price. */
let wanted: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  thief = await openProvider(url);
  bait = await listService(url, thief, { price_usd: '5.00', title: 'Nothing at all' });
  wanted = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'A good logo' });
});
after(() => market.close());

/** Calls of a buyer that confirm a payment, each with the copied signature in its headers. */
const confirming: Readonly<Record<string, (id: string, copy: Record<string, string>) => Promise<unknown>>> = {
  'confirming the payment': (id, headers) => call(url, `POST /api/orders/${id}/confirm-payment`, { headers }),
  'approving the work': (id, headers) => call(url, `PATCH /api/orders/${id}`, { headers, body: { action: 'approve' } }),
};

async function isContestable(id: string): Promise<boolean> {
  const { rows } = await market.database.pool.query(
    'select 1 from payment_claims where subject_id = $1 and contestable_until is not null',
    [id],
  );
  return rows.length === 1;
}

for (const [what, confirm] of Object.entries(confirming)) {
  test(`V12, V19: a signature copied from an address does not end the time to contest by ${what}`, async () => {
    const victim: Buyer = await openBuyer(market, NETWORK);
    const reference = await victim.payer.pay(victim.payer.chain.treasury, 5_500_000n);
    const id = idOf(await hireWith(url, bait, transferProof(NETWORK, reference), { brief: 'All of it for me.' }));
    assert.equal((await deliver(url, id, thief)).status, 200);
    await confirm(id, asHeaders(await copiedSignature(url, victim, MINUTE)));
    requireOutcomes({ 'the payer can still contest': [await isContestable(id), true] });
    const own = await hireSigned(url, wanted, victim, reference, 'A logo for a bakery.');
    requireOutcomes({ 'the payer buys what it wanted': [own, '200'] });
  });
}
