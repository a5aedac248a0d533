/** Reads a hire request of any endpoint into a purchase, and pays for it or answers 402. */
import { checkRequirementAnswers, MarketError } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import type { ServiceRow } from '../../services/index.ts';
import { classifyPayment, type PaymentHeaders } from '../intake/classify-payment.ts';
import { fingerprintOfHire } from '../intake/fingerprint.ts';
import { payFor } from '../intake/pay-for.ts';
import type { Price, Purchase } from '../intake/purchase.ts';
import { challenge, withReference } from '../offers/challenge.ts';
import type { ChallengeOptions } from '../offers/challenge-options.ts';
import type { X402Context } from '../x402-context.ts';
import { findAnyService, hireOffer, honouredPrices, requirePayable, type ServicePrice } from './payable-service.ts';
import { presentHire } from './present-hire.ts';
import type { HireData } from './record-hire.ts';
import { packHire } from './stored-request.ts';

export interface HireRequest {
  readonly serviceId: string;
  /** Every brief of the request; the first that is not empty counts. */
  readonly briefs: readonly (string | undefined)[];
  readonly referenceUrls?: readonly string[];
  readonly requirements: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly settlement: 'instant' | 'on_approval';
  readonly headers: PaymentHeaders;
  readonly challenge: ChallengeOptions;
}

/** `answer` turns the hire into the answer of the endpoint. */
export async function hire<A extends { readonly data: unknown }>(
  context: X402Context,
  call: Call,
  request: HireRequest,
  answer: (db: Db, data: HireData) => Promise<A>,
): Promise<A> {
  const service = await findAnyService(context.database.db, request.serviceId);
  const payment = classifyPayment(request.headers, context.chains);
  // Without payment, answer 402 before judging the rest: directories and clients probe this way.
  if (payment.kind === 'none') {
    requirePayable(service);
    const purchase = briefIn(request) === undefined ? undefined : readPurchase(context, call.caller, service, request);
    throw challenge(
      context,
      hireOffer(context, service),
      purchase === undefined ? request.challenge : withReference(context, purchase, call.caller),
    );
  }
  const purchase = readPurchase(context, call.caller, service, request);
  return await payFor(
    context,
    call,
    purchase,
    payment,
    async (db, result) => await answer(db, await presentHire(db, context, result, call.caller)),
  );
}

function readPurchase(context: X402Context, caller: Caller, service: ServiceRow, request: HireRequest): Purchase {
  const { requirements, settlement } = request;
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
    requireBuyer: async () => undefined,
    // The API key says whose hire it is. The money stays the payer's: refunds go there, and a bare transfer can be contested.
    pack: ({ price }) =>
      packHire({
        hire: { ...terms, service: termsAt(prices, price), priceMicros: price.listMicros, clientAgentId: caller.agent?.id ?? null },
        connectionId: caller.connection?.id ?? null,
      }),
  };
}

/** What the price is for. The intake hands back one of the prices that it got. */
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
