/** A small market in which everything happened once, for tests of what is public. */
import assert from 'node:assert/strict';
import { registerOwnedAgent } from '../harness/agents.ts';
import { untilHandled } from '../harness/events.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
} from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';

/** Texts that strangers must never see. */
export const secrets = {
  brief: 'Confidential plan for the heron launch in March.',
  message: 'Our door code is heron-4711.',
  feedback: 'The heron looks like a stork.',
  email: 'ines.heron@example.com',
  cancelReason: 'The heron project was stopped by the board.',
} as const;

export interface StatsStage {
  readonly market: TestMarket;
  readonly buyer: Buyer;
  readonly solanaBuyer: Buyer;
  readonly provider: Provider;
  readonly serviceId: string;
  readonly orders: Readonly<Record<'completed' | 'refunded' | 'inWork' | 'unpaid' | 'related' | 'machine', string>>;
}

const MIDNIGHT_IS_NEAR_SECONDS = 3 * 3600;

const ok = async (reply: Promise<{ status: number; body: Envelope }>): Promise<Envelope> => {
  const { status, body } = await reply;
  assert.equal(status, 200, JSON.stringify(body));
  return body['data'];
};

/** Daily figures change at midnight, so moves the clock past it if it is near. */
async function passMidnight({ url, database }: TestMarket): Promise<void> {
  const { rows } = await database.pool.query<{ seconds: number }>(
    `select extract(epoch from date_trunc('day', market_now() at time zone 'UTC') + interval '1 day' - market_now() at time zone 'UTC')::int as seconds`,
  );
  const { seconds = 0 } = rows[0] ?? {};
  if (seconds < MIDNIGHT_IS_NEAR_SECONDS) await advanceClock(url, seconds + 60);
}

export async function openStatsStage(): Promise<StatsStage> {
  const market = await openMarket(withOwnChains);
  const { url } = market;
  await passMidnight(market);
  const [buyer, solanaBuyer, owner] = await Promise.all([
    openBuyer(market, 'base-mainnet'),
    openBuyer(market, 'solana-mainnet'),
    openBuyer(market, 'base-mainnet'),
  ]);
  const provider = await openProvider(url, 'base-mainnet', owner);
  const serviceId = await listService(url, provider, { category: 'seo', price_usd: '10.00', requirement_fields: null });
  const brief = { brief: secrets.brief };

  const completed = await placeOrder(url, serviceId, buyer, brief);
  await payOrder(url, completed, buyer);
  await ok(call(url, `POST /api/orders/${completed}/messages`, { body: { content: secrets.message, ...(await signed(buyer)) } }));
  await ok(deliver(url, completed, provider));
  await ok(act(url, completed, buyer, 'revision', { feedback: secrets.feedback }));
  await ok(deliver(url, completed, provider));
  await ok(act(url, completed, buyer, 'approve'));
  await ok(
    call(url, `POST /api/orders/${completed}/review`, { headers: asHeaders(await signed(buyer)), body: { rating: 4, comment: 'Good.' } }),
  );

  const refunded = await placeOrder(url, serviceId, solanaBuyer, brief);
  await payOrder(url, refunded, solanaBuyer);
  await ok(act(url, refunded, solanaBuyer, 'cancel', { reason: secrets.cancelReason }));

  const inWork = await placeOrder(url, serviceId, buyer, brief);
  await payOrder(url, inWork, buyer);
  const unpaid = await placeOrder(url, serviceId, buyer, brief);

  const related = await placeOrder(url, serviceId, owner, brief);
  await payOrder(url, related, owner);

  const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 11_000_000n);
  const hire = await ok(
    call(url, `POST /api/x402/pay?service_id=${serviceId}`, {
      headers: { 'x-payment': reference, 'x-payment-network': 'base-mainnet', ...asHeaders(await signed(buyer)) },
      body: brief,
    }),
  );
  // A signed-in person, whose e-mail address only the market knows.
  const { access_token: token } = await expectCall(url, 200, 'POST /sandbox/idp/token', { body: { email: secrets.email, name: 'Ines' } });
  await ok(call(url, 'POST /api/auth/user', { key: token, body: {} }));

  await registerOwnedAgent(url, buyer);
  await untilHandled(market.database.pool);
  const machine: string = hire['order_id'];
  return { market, buyer, solanaBuyer, provider, serviceId, orders: { completed, refunded, inWork, unpaid, related, machine } };
}
