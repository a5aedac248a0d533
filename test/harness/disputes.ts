/** Disputes for tests, over HTTP: a delivered order that its buyer disputes, statements of both sides, and the ruling. */
import assert from 'node:assert/strict';
import type { NetworkName } from '@market/contract';
import { call, type Reply } from './http.ts';
import { act, type Buyer, deliver, listService, openBuyer, openProvider, type Provider, payOrder, placeOrder } from './orders.ts';
import type { PayableMarket } from './payers.ts';
import { asHeaders, signed, type TestWallet, tokenFor } from './people.ts';

/** The people of a dispute; one pair can have several. */
export interface Opponents {
  readonly buyer: Buyer;
  readonly provider: Provider;
  readonly service: string;
  /** Bearer token of an administrator who is not a party. */
  readonly admin: string;
}

type DisputeMarket = PayableMarket & { readonly url: string };

export async function openOpponents(market: DisputeMarket, network: NetworkName = 'base-mainnet'): Promise<Opponents> {
  const { url } = market;
  const [buyer, provider, admin] = await Promise.all([openBuyer(market, network), openProvider(url, network), openAdmin(url)]);
  return { buyer, provider, admin, service: await listService(url, provider) };
}

export async function openAdmin(url: string, email = 'ops@example.com'): Promise<string> {
  return await tokenFor(url, { email, admin: true });
}

export const DISPUTE_REASON = 'Every second page is missing.';

/** An order for 10.00 that is paid, delivered and disputed. */
export async function disputeOrder(url: string, { buyer, provider, service }: Opponents): Promise<string> {
  const order = await placeOrder(url, service, buyer);
  await payOrder(url, order, buyer, 'confirmed');
  assert.equal((await deliver(url, order, provider)).status, 200);
  const disputed = await act(url, order, buyer, 'dispute', { reason: DISPUTE_REASON });
  assert.equal(disputed.status, 200, JSON.stringify(disputed.body));
  return order;
}

export const RULING_REASON = 'Half of the pages are there and usable.';

export async function rule(url: string, order: string, admin: string, ruling: Record<string, unknown>): Promise<Reply> {
  return await call(url, `POST /api/admin/orders/${order}/rule`, { key: admin, body: { reason: RULING_REASON, ...ruling } });
}

export async function stateCase(
  url: string,
  order: string,
  headers: Record<string, string>,
  body: Record<string, unknown> = { statement: 'See for yourself.' },
): Promise<Reply> {
  return await call(url, `POST /api/orders/${order}/dispute/statements`, { headers, body });
}

export async function readDispute(url: string, order: string, headers: Record<string, string>): Promise<Reply> {
  return await call(url, `GET /api/orders/${order}/dispute`, { headers });
}

export async function headersOf(wallet: TestWallet): Promise<Record<string, string>> {
  return asHeaders(await signed(wallet));
}
