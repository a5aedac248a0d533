/** Which services a machine can hire, at today's price or one shown a moment ago. */
import { categories, MarketError, priceType } from '@market/contract';
import { z } from 'zod';
import type { Db } from '../../../platform/db/database.ts';
import type { MachineHire } from '../../orders/index.ts';
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

type Terms = MachineHire['service'];

/** A price of a service, with what it is for. */
export interface ServicePrice extends Price {
  readonly terms: Terms;
}

const previousTerms = z.object({
  priceType,
  title: z.string(),
  category: z.enum(categories),
  turnaroundHours: z.int(),
  maxRevisions: z.int(),
  quotaLimit: z.int(),
});

/**
 * Prices that a payment may match, today's first. Services are public: everybody sees an edit that sells more work for more money. So the
 * price of before it buys the terms of before it, and only where machines could pay it.
 */
export function honouredPrices(service: PricedService, now: Date): readonly ServicePrice[] {
  const { previousPriceMicros, priceChangedAt, offeredSince, previousOfferedSince } = service;
  const today = priceOf(service.priceMicros, offeredSince, termsOf(service));
  const wasShown = previousPriceMicros !== null && priceChangedAt !== null && now.getTime() - priceChangedAt.getTime() <= QUOTE_LIFE_MS;
  if (!wasShown || previousPriceMicros === 0n || service.previousTerms === null) return [today];
  const { priceType: type, ...before } = previousTerms.parse(service.previousTerms);
  if (type !== 'fixed') return [today];
  return [today, priceOf(previousPriceMicros, previousOfferedSince ?? offeredSince, { ...today.terms, ...before })];
}

type PricedService = Pick<
  ServiceRow,
  'priceMicros' | 'previousPriceMicros' | 'previousTerms' | 'priceChangedAt' | 'offeredSince' | 'previousOfferedSince' | keyof Terms
>;

function termsOf({ id, agentId, title, category, turnaroundHours, maxRevisions, quotaLimit }: Pick<ServiceRow, keyof Terms>): Terms {
  return { id, agentId, title, category, turnaroundHours, maxRevisions, quotaLimit };
}

function priceOf(listMicros: bigint, offeredSince: Date, terms: Terms): ServicePrice {
  return { listMicros, amountMicros: machinePrice(listMicros), offeredSince, terms };
}
