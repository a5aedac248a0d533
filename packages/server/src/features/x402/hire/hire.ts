/** A hire as a product: the service at today's price or at one shown a moment ago, and the request as a purchase. */
import { categories, checkRequirementAnswers, MarketError, priceType, withFeeOnTop } from '@market/contract';
import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';
import { hashJson } from '../../../platform/hash-json.ts';
import { newId } from '../../../platform/random.ts';
import type { MachineHire } from '../../orders/index.ts';
import { findService, isHireable, type ServiceRow } from '../../services/index.ts';
import type { PaymentHeaders } from '../intake/read-payment.ts';
import { withReference } from '../offers/challenge.ts';
import type { ChallengeOptions } from '../offers/challenge-options.ts';
import type { Offer } from '../offers/offers.ts';
import type { Price, Product, Purchase } from '../product.ts';
import type { X402Context } from '../x402-context.ts';
import { type HireData, packHire, presentHire, recordHire } from './hired-order.ts';

export interface HireRequest {
  /** Perhaps no longer offered: repeated payments for it still get their answer. */
  readonly service: ServiceRow;
  /** Every brief of the request; the first that is not empty counts. */
  readonly briefs: readonly (string | undefined)[];
  readonly referenceUrls?: readonly string[];
  readonly requirements: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly settlement: 'instant' | 'on_approval';
  readonly headers: PaymentHeaders;
  readonly challenge: ChallengeOptions;
}

export const hire: Product<HireRequest, HireData> = {
  read: (context, { caller }, request) => readPurchase(context, caller, request),
  // Asks for payment before judging the rest: directories and clients probe this way.
  async offer(context, { caller }, request) {
    const { service, challenge } = request;
    requirePayable(service);
    const options = briefIn(request) === undefined ? challenge : withReference(context, readPurchase(context, caller, request), caller);
    return { offer: hireOffer(context, service), options };
  },
  record: recordHire,
  present: presentHire,
};

function readPurchase(context: X402Context, caller: Caller, request: HireRequest): Purchase {
  const { service, requirements, settlement } = request;
  const brief = briefIn(request);
  if (brief === undefined) throw new MarketError('brief_required');
  const referenceUrls = request.referenceUrls ?? [];
  const orderId = newId('ord', context.clock.now());
  const prices = honouredPrices(service, context.clock.now());
  const terms = { orderId, service, brief, referenceUrls, requirementAnswers: requirements ?? null, settlement };
  return {
    purpose: 'x402',
    subjectId: orderId,
    fingerprint: fingerprintOfHire(terms),
    offer: hireOffer(context, service),
    challenge: request.challenge,
    payableSince: service.createdAt,
    prices,
    async requireOnOffer() {
      requirePayable(service);
      if (requirements !== undefined) requireAnswers(context, service, requirements);
    },
    // The API key says whose hire it is. The money stays the payer's: refunds go there, and a bare transfer can be contested.
    pack: ({ price }) =>
      packHire({
        hire: { ...terms, service: termsAt(prices, price), priceMicros: price.listMicros, clientAgentId: caller.agent?.id ?? null },
        connectionId: caller.connection?.id ?? null,
      }),
  };
}

/** The terms of a price. The intake hands back one of the prices that it got. */
function termsAt(prices: readonly ServicePrice[], paid: Price): ServicePrice['terms'] {
  const price = prices.find((one) => one === paid);
  if (price === undefined) throw new Error(`${paid.listMicros} is no price of this purchase`);
  return price.terms;
}

function briefIn({ briefs, requirements }: HireRequest): string | undefined {
  return briefs.map((text) => text?.trim() ?? '').find((text) => text !== '') ?? briefOf(requirements);
}

/** Requirement answers replace a missing brief. */
function briefOf(requirements: HireRequest['requirements']): string | undefined {
  const lines = Object.entries(requirements ?? {}).map(([label, answer]) => `${label}: ${answer}`);
  return lines.length === 0 ? undefined : lines.join('\n').slice(0, 3000);
}

function requireAnswers({ isPrivateLink }: X402Context, service: ServiceRow, answers: NonNullable<HireRequest['requirements']>): void {
  const problems = checkRequirementAnswers(service.requirementFields ?? [], answers, isPrivateLink);
  if (problems.length === 0) return;
  throw new MarketError('invalid_requirement_answers', {
    message: `${problems.map(({ message }) => message).join(' ')} Nothing was taken.`,
    data: { problems: problems.map(({ label, message }) => ({ label, message })) },
  });
}

type HireTerms = Pick<MachineHire, 'brief' | 'referenceUrls' | 'requirementAnswers' | 'settlement'> & {
  readonly service: { readonly id: string };
};

export function fingerprintOfHire({ service, brief, referenceUrls, requirementAnswers, settlement }: HireTerms): Buffer {
  return hashJson(['hire', service.id, brief, referenceUrls, requirementAnswers, settlement]);
}

/** The time for which an old price is still honoured after a change. */
const QUOTE_LIFE_MS = 10 * 60_000;

export async function findPayable(db: Db, id: string): Promise<ServiceRow> {
  const service = await findService(db, id);
  if (service === undefined) throw new MarketError('service_not_found');
  requirePayable(service);
  return service;
}

function requirePayable(service: ServiceRow): void {
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
    amountMicros: withFeeOnTop(service.priceMicros),
    description: `${context.serviceName}: ${service.title} (${service.id})`,
    bySeller: true,
    resource,
    tags: [service.category],
  };
}

type Terms = MachineHire['service'];

/** A price of a service, with its terms. */
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
 * former price buys the former terms, and only if machines could pay it.
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
  return { listMicros, amountMicros: withFeeOnTop(listMicros), offeredSince, terms };
}
