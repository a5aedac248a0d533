/** A program signs once, hires with the signature in headers, and then reads with it in an address, which logs keep. A copy only reads. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { idOf } from '../../harness/bare-transfers.ts';
import { asQuery, type CallOptions, call } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { advanceClock, listService, openBuyer, openProvider } from '../../harness/orders.ts';
import { agentBody, asHeaders, baseWallet, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const BRIEF = 'A logo for a bakery, in our own words.';

let market: TestMarket;
let url: string;
let service: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  service = await listService(url, await openProvider(url), { price_usd: '10.00' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);

test('V01, V19: a signature that paid for a hire and then stood in an address gives no token of that hire', async () => {
  const buyer = await openBuyer(market, NETWORK);
  const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 11_000_000n);
  const fields = await signed(buyer);
  const orderId = idOf(await hireWith(url, service, { ...transferProof(NETWORK, reference), ...asHeaders(fields) }, { brief: BRIEF }));
  // The same signature, valid for 15 minutes, in the address of a read. The answer has all that repeating the hire needs.
  const [order] = (await send(`GET /api/orders${asQuery(fields)}`)).body['data'];
  assert.equal(order.order_id ?? order.id, orderId, JSON.stringify(order));
  const headers = { ...transferProof(NETWORK, order.escrow_tx_hash), ...asHeaders(fields) };
  const repeated = await send(`POST /api/x402/pay?service_id=${order.service_id}`, { headers, body: { brief: order.brief } });
  const token = valuesOf(repeated.body, 'buyer_token').find((one): one is string => typeof one === 'string');
  // By then every signature and session of the victim has ended.
  await advanceClock(url, 31 * 86_400);
  const path = `/api/orders/${orderId}` as const;
  const acts = async (route: `${string} /${string}`, body?: Record<string, unknown>) =>
    token === undefined ? 401 : (await send(route, { key: token, ...(body && { body }) })).status;
  requireOutcomes({
    'a token of the buyer is given': [token !== undefined, false],
    'a month later it reads the order': [await acts(`GET ${path}`), 401, 403],
    'a month later it writes as the buyer': [await acts(`POST ${path}/messages`, { content: 'Send it to me.' }), 401, 403],
  });
});

test('V19, V07: a signature that registered an agent and then stood in an address gives no key under a guessed Idempotency-Key', async () => {
  const owner = baseWallet();
  const fields = await signed(owner);
  const body = agentBody();
  const headers = { 'idempotency-key': 'register-1' };
  const own = await send('POST /api/agents/register', { headers, body: { ...body, ...fields } });
  assert.equal(own.status, 201, JSON.stringify(own.body));
  const key = String(own.body['data'].api_key);
  await send(`GET /api/notifications${asQuery(fields)}`);
  // Name and description are public on the agent's page.
  const stolen = await send('POST /api/agents/register', { headers, body: { ...body, ...fields } });
  requireOutcomes({ 'the key is shown': [valuesOf(stolen.body, 'api_key').includes(key), false] });
});
