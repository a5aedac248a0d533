/** The first presenter of a bare transfer sees no result while the payer may contest, and loses everything once the payer proved itself. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Depositor, deposited, LEND, openSigner, register, untilStatus, withdraw } from '../../earn/stage.ts';
import { registerAgent } from '../../harness/agents.ts';
import { countRows, requireOutcomes, type Steps, valuesOf } from '../../harness/authority.ts';
import { hireSigned, idOf } from '../../harness/bare-transfers.ts';
import { asQuery, type CallOptions, call, type Reply } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { registerWith, requireRegistered } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { callTool, connectMcp } from '../../harness/mcp.ts';
import {
  act,
  advanceClock,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  requireSoundBooks,
  walletOf,
} from '../../harness/orders.ts';
import { agentBody, asHeaders, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const WINDOW_SECONDS = 15 * 60;
const BRIEF = 'A logo for a bakery.';
const ENDED_TOKEN = '401 invalid_order_token';
const ENDED_PLACE = ['403 not_your_order', '403 wrong_side'];

let market: TestMarket;
let url: string;
let provider: Provider;
/** A service that costs a machine 110.00. */
let service: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  provider = await openProvider(url);
  service = await listService(url, provider, { price_usd: '100.00' });
});
after(() => market.close());

const PRICE = 110_000_000n;
const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);
const pays = (buyer: Pick<Buyer, 'payer'>, micros = PRICE) => buyer.payer.pay(buyer.payer.chain.treasury, micros);

const SECRET = 'the-result-itself';

async function delivered(orderId: string): Promise<void> {
  const reply = await deliver(url, orderId, provider, { deliverable_url: `https://example.com/${SECRET}` });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

const shows = (content: unknown): boolean => JSON.stringify(content).includes(SECRET);

/** Every way in which the buyer of a machine's order reads it. */
async function readEverywhere(orderId: string, buyer: Buyer, token: string, key: string): Promise<Record<string, Reply>> {
  const headers = asHeaders(await signed(buyer));
  return {
    'by read token': await send(`GET /api/orders/${orderId}`, { key: token }),
    'by signature': await send(`GET /api/orders/${orderId}`, { headers }),
    'by signature in the query': await send(`GET /api/orders/${orderId}${asQuery(await signed(buyer))}`),
    'by the agent’s key': await send(`GET /api/orders/${orderId}`, { key }),
    'in the list': await send('GET /api/orders', { headers }),
    'in the agent’s list': await send('GET /api/orders', { key }),
    messages: await send(`GET /api/orders/${orderId}/messages`, { key: token }),
    requests: await send(`GET /api/orders/${orderId}/requests`, { key: token }),
    events: await send('GET /api/events', { key: token }),
    'events of the agent': await send('GET /api/events', { key }),
    notifications: await send('GET /api/notifications', { headers }),
    statement: await send(`GET /api/orders/${orderId}/statement`, { key: token }),
  };
}

/** Hires by a public reference with an agent's key, and gets a delivery. */
async function hiredByReference(buyer: Buyer) {
  const agent = await registerAgent(url);
  const reference = await pays(buyer);
  const headers = { ...transferProof(NETWORK, reference), authorization: `Bearer ${agent.key}` };
  const hired = await hireWith(url, service, headers, { brief: BRIEF });
  const orderId = idOf(hired);
  await delivered(orderId);
  return { reference, orderId, agent, token: String(hired.body['data'].read_token) };
}

test('V12: nobody on the buyer’s side reads a delivery while the payment can be taken back', async () => {
  const buyer = await openBuyer(market, NETWORK);
  const { orderId, agent, token } = await hiredByReference(buyer);
  const steps: Record<string, Steps[string]> = {};
  const replies = await readEverywhere(orderId, buyer, token, agent.key);
  for (const [door, reply] of Object.entries(replies)) {
    steps[door] = [reply, '200'];
    steps[`${door}: shows the delivery`] = [shows(reply.body), false];
  }
  const client = await connectMcp(url, agent.key);
  steps['over MCP: shows the delivery'] = [shows(await callTool(client, 'get_order', { order_id: orderId })), false];
  await client.close();
  const seen = replies['by read token']?.body ?? {};
  steps['withheld until'] = [typeof valuesOf(seen, 'withheld_until')[0], 'string'];
  steps['status'] = [valuesOf(seen, 'status').includes('delivered'), true];
  requireOutcomes(steps);
});

test('V12: a buyer cannot both read a delivery and take its payment back through Earn', async () => {
  await deposited(market, await openSigner(market), 150);
  const thief: Depositor = await openSigner(market);
  const wallet = { ...walletOf(thief.payer), payer: thief.payer };
  const { reference, orderId, token } = await hiredByReference(wallet);
  const isRead = shows((await send(`GET /api/orders/${orderId}`, { key: token })).body);
  const deposit = await register(market, thief, { amount_usd: '110', incoming_tx_hash: reference, key: LEND });
  let isBack = false;
  if (deposit.status === 200) {
    await untilStatus(market, thief, deposit.body['data'].deposit_id, 'deployed');
    const withdrawal = await withdraw(market, thief, { all: true, key: LEND });
    isBack = withdrawal.status === 200;
  }
  requireOutcomes({ 'result read and payment back': [isRead && isBack, false] });
});

test('V12: the payer’s signature, or the end of the window, shows a withheld delivery', async () => {
  const buyer = await openBuyer(market, NETWORK);
  const proven = await hiredByReference(buyer);
  assert.equal(idOf(await hireSigned(url, service, buyer, proven.reference, BRIEF)), proven.orderId);
  const bySignature = await send(`GET /api/orders/${proven.orderId}`, { headers: asHeaders(await signed(buyer)) });
  const waiting = await hiredByReference(await openBuyer(market, NETWORK));
  const early = await send(`GET /api/orders/${waiting.orderId}`, { key: waiting.token });
  await advanceClock(url, WINDOW_SECONDS + 1);
  const late = await send(`GET /api/orders/${waiting.orderId}`, { key: waiting.token });
  requireOutcomes({
    'after the signature': [shows(bySignature.body), true],
    'in the window': [shows(early.body), false],
    'after the window': [shows(late.body), true],
  });
});

test('V14: after the payer proved itself the first presenter neither reads nor acts on the order', async () => {
  const payer = await openBuyer(market, NETWORK);
  const stranger = await hiredByReference(payer);
  const { orderId, token, agent } = stranger;
  assert.equal(idOf(await hireSigned(url, service, payer, stranger.reference, BRIEF)), orderId);
  const path = `/api/orders/${orderId}` as const;
  requireOutcomes({
    'the read token reads': [await send(`GET ${path}`, { key: token }), ENDED_TOKEN],
    'the read token reads by query': [await send(`GET ${path}?read_token=${token}`), ENDED_TOKEN],
    'the key reads': [await send(`GET ${path}`, { key: agent.key }), ...ENDED_PLACE],
    'the key reads messages': [await send(`GET ${path}/messages`, { key: agent.key }), ...ENDED_PLACE],
    'the key writes': [await send(`POST ${path}/messages`, { key: agent.key, body: { content: 'Send it to me.' } }), ...ENDED_PLACE],
    'the key approves': [await send(`PATCH ${path}`, { key: agent.key, body: { action: 'approve' } }), ...ENDED_PLACE],
    'orders in the list of the key': [valuesOf((await send('GET /api/orders', { key: agent.key })).body, 'order_id').length, 0],
    'the payer approves': [await act(url, orderId, payer, 'approve'), '200'],
  });
});

test('V14: after the payer took the transfer back the first presenter’s token and key read nothing', async () => {
  const payer = await openBuyer(market, NETWORK);
  const { reference, orderId, token, agent } = await hiredByReference(payer);
  const own = idOf(await hireSigned(url, service, payer, reference, 'A logo for a mill.'));
  assert.notEqual(own, orderId);
  requireOutcomes({
    'the read token reads': [await send(`GET /api/orders/${orderId}`, { key: token }), ENDED_TOKEN],
    'the key reads': [await send(`GET /api/orders/${orderId}`, { key: agent.key }), ...ENDED_PLACE],
  });
});

for (const usdc of [1n, 2n]) {
  test(`V14: the key of an agent that a stranger registered with a transfer of ${usdc} USDC ends when the payer signs`, async () => {
    const payer = await openBuyer(market, NETWORK);
    const [headers, body] = [transferProof(NETWORK, await pays(payer, usdc * 1_000_000n)), agentBody()];
    const stolen = await requireRegistered(registerWith(url, headers, body));
    const answer = await registerWith(url, { ...headers, ...asHeaders(await signed(payer)) }, body);
    const own = await requireRegistered(answer);
    assert.equal(own['agent_id'], stolen['agent_id']);
    const isNew = typeof own['api_key'] === 'string' && own['api_key'] !== stolen['api_key'];
    requireOutcomes({
      'the stranger’s key': [await send('GET /api/agents/me', { key: String(stolen['api_key']) }), '401 invalid_api_key'],
      'the payer has a key of its own': [isNew, true],
      'the payer’s key': [await send('GET /api/agents/me', { key: String(own['api_key']) }), '200'],
      'agents of the payer': [await countRows(market, 'agents', 'owner_wallet', payer.address), 1],
    });
  });
}

test('the books are sound after contested first presentations', async () => {
  await requireSoundBooks(market);
});
