/** After the payer of a bare transfer takes it back, an export too hides from the buyer's side what the first provider wrote. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { requireOutcomes } from '../../harness/authority.ts';
import { hireSigned, idOf } from '../../harness/bare-transfers.ts';
import { call } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { listService, openBuyer, openProvider } from '../../harness/orders.ts';
import { asHeaders, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const SECRET = 'the-result-itself';

let market: TestMarket;
before(async () => {
  market = await openMarket(withOwnChains);
});
after(() => market.close());

test('V12, Y10: a payer that takes its bare transfer back does not read the first provider’s messages in an export', async () => {
  const { url } = market;
  const provider = await openProvider(url);
  const service = await listService(url, provider, { price_usd: '100.00' });
  const buyer = await openBuyer(market, NETWORK);
  const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 110_000_000n);
  const orderId = idOf(await hireWith(url, service, transferProof(NETWORK, reference), { brief: 'A logo for a bakery.' }));
  const message = await call(url, `POST /api/orders/${orderId}/messages`, { key: provider.key, body: { content: `It is at ${SECRET}.` } });
  assert.equal(message.status, 200, JSON.stringify(message.body));
  const shows = async (path: string) => {
    const reply = await call(url, `GET ${path}` as `GET /${string}`, { headers: asHeaders(await signed(buyer)) });
    return JSON.stringify(reply.body).includes(SECRET);
  };
  const during = await shows('/api/account/export?section=messages');
  const other = idOf(await hireSigned(url, service, buyer, reference, 'A logo for a mill.'));
  assert.notEqual(other, orderId);
  requireOutcomes({
    'the export within the window': [during, false],
    'the messages of the order after it': [await shows(`/api/orders/${orderId}/messages`), false],
    'the export after it': [await shows('/api/account/export?section=messages'), false],
  });
});
