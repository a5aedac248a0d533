/** Which services a machine can hire, at today's price or one shown a moment ago. */
import { MarketError } from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import { findService, isHireable, type ServiceRow } from '../../services/index.ts';
import type { Price } from '../intake/purchase.ts';
import { machinePrice, type Offer } from '../offers/offers.ts';
import type { X402Context } from '../x402-context.ts';

/** How long an old price is still honoured after a change. */
const QUOTE_LIFE_MS = 10 * 60_000;

export async function findPayable(db: Db, id: string): Promise<ServiceRow> {
  const service = await findAnyService(db, id);
  requirePayable(service);
  return service;
}

/** Also finds services no longer offered: repeated payments for them still get their answer. */
export async function findAnyService(db: Db, id: string): Promise<ServiceRow> {
  const service = await findService(db, id);
  if (service === undefined) throw new MarketError('service_not_found');
  return service;
}

export function requirePayable(service: ServiceRow): void {
  if (!service.active) throw new MarketError('service_not_found');
  if (!isHireable(service)) throw new MarketError('agent_not_hireable');
  if (service.priceType !== 'fixed' || service.priceMicros <= 0n) throw new MarketError('service_not_payable');
}

/** Today's offer for a hire. */
export function hireOffer(
  context: Pick<X402Context, 'serviceName' | 'baseUrl'>,
  service: Pick<ServiceRow, 'id' | 'title' | 'priceMicros' | 'category'>,
  resource = `${context.baseUrl}/api/orders`,
): Offer {
  return {
    amountMicros: machinePrice(service.priceMicros),
    description: `${context.serviceName}: ${service.title} (${service.id})`,
    bySeller: true,
    resource,
    tags: [service.category],
  };
}

/** Prices that a payment may match, today's first. */
export function honouredPrices(
  service: Pick<ServiceRow, 'priceMicros' | 'previousPriceMicros' | 'priceChangedAt' | 'offeredSince' | 'previousOfferedSince'>,
  now: Date,
): readonly Price[] {
  const { priceMicros, previousPriceMicros, priceChangedAt, offeredSince, previousOfferedSince } = service;
  const today = priceOf(priceMicros, offeredSince);
  const wasShown = previousPriceMicros !== null && priceChangedAt !== null && now.getTime() - priceChangedAt.getTime() <= QUOTE_LIFE_MS;
  if (!wasShown || previousPriceMicros === 0n) return [today];
  return [today, { ...priceOf(previousPriceMicros, previousOfferedSince ?? offeredSince), isPrevious: true }];
}

function priceOf(listMicros: bigint, offeredSince: Date): Price {
  return { listMicros, amountMicros: machinePrice(listMicros), offeredSince };
}
