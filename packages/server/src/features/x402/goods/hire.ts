/** A hire as something to buy, whichever endpoint it came through: which service, with what brief. */
import { checkRequirementAnswers, MarketError } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import type { MachineHire } from '../../orders/index.ts';
import type { ServiceRow } from '../../services/index.ts';
import { classifyPayment, type PaymentHeaders } from '../intake/classify-payment.ts';
import { fingerprintOf } from '../intake/fingerprint.ts';
import { payFor } from '../intake/pay-for.ts';
import type { Purchase } from '../intake/purchase.ts';
import { type ChallengeOptions, challenge, withReference } from '../offers/challenge.ts';
import type { X402Context } from '../x402-context.ts';
import { findAnyService, hireOffer, honouredPrices, requirePayable } from './payable-service.ts';
import { type HireData, hireAnswer } from './record-hire.ts';
import { packHire } from './stored-request.ts';

export interface Hiring {
  readonly serviceId: string;
  /** Where a brief may stand, in the order in which they count. */
  readonly briefs: readonly (string | undefined)[];
  readonly referenceUrls?: readonly string[];
  readonly requirements: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly settlement: 'instant' | 'on_approval';
  readonly headers: PaymentHeaders;
  readonly challenge: ChallengeOptions;
}

/** `answer` makes the answer of the address that was called out of what the hire gives. */
export async function hire<A extends { readonly data: unknown }>(
  context: X402Context,
  call: Call,
  hiring: Hiring,
  answer: (db: Db, data: HireData) => Promise<A>,
): Promise<A> {
  const service = await findAnyService(context.database.db, hiring.serviceId);
  const payment = classifyPayment(hiring.headers, context.chains);
  // An unpaid request is shown the price before anything else about it is judged: that is how directories and clients look.
  if (payment.kind === 'none') {
    requirePayable(service);
    const purchase = briefIn(hiring) === undefined ? undefined : readPurchase(context, call.caller, service, hiring);
    throw challenge(context, hireOffer(context, service), purchase === undefined ? hiring.challenge : withReference(context, purchase));
  }
  const purchase = readPurchase(context, call.caller, service, hiring);
  return await payFor(context, call, purchase, payment, async (db, result) => await answer(db, await hireAnswer(db, context, result)));
}

function readPurchase(context: X402Context, caller: Caller, service: ServiceRow, hiring: Hiring): Purchase {
  const { requirements, settlement } = hiring;
  const brief = briefIn(hiring);
  if (brief === undefined) throw new MarketError('brief_required');
  const referenceUrls = hiring.referenceUrls ?? [];
  const orderId = newId('ord', context.clock.now());
  const wanted = {
    orderId,
    service: termsOf(service),
    brief,
    referenceUrls,
    requirementAnswers: requirements ?? null,
    settlement,
  };
  return {
    purpose: 'x402',
    subjectId: orderId,
    fingerprint: fingerprintOf({ serviceId: service.id, brief, referenceUrls, requirements: requirements ?? null, settlement }),
    offer: hireOffer(context, service),
    challenge: hiring.challenge,
    payableSince: service.createdAt,
    prices: honouredPrices(service, context.clock.now()),
    async requireOnOffer() {
      requirePayable(service);
      if (requirements !== undefined) requireAnswers(context, service, requirements);
    },
    requireBuyer: () => undefined,
    // The key says whose hire it is. Whose money it is stays with the payer: refunds go there, and a bare transfer can be contested.
    pack: ({ price }) => packHire({ ...wanted, priceMicros: price.listMicros, clientAgentId: caller.agent?.id ?? null }),
  };
}

function termsOf(service: ServiceRow): MachineHire['service'] {
  const { id, agentId, title, category, turnaroundHours, maxRevisions, quotaLimit } = service;
  return { id, agentId, title, category, turnaroundHours, maxRevisions, quotaLimit };
}

function briefIn({ briefs, requirements }: Hiring): string | undefined {
  return briefs.map((text) => text?.trim() ?? '').find((text) => text !== '') ?? briefOf(requirements);
}

/** Answers may stand instead of a brief. */
function briefOf(requirements: Hiring['requirements']): string | undefined {
  const lines = Object.entries(requirements ?? {}).map(([label, answer]) => `${label}: ${answer}`);
  return lines.length === 0 ? undefined : lines.join('\n').slice(0, 3000);
}

function requireAnswers({ isPrivateLink }: X402Context, service: ServiceRow, answers: NonNullable<Hiring['requirements']>): void {
  const problems = checkRequirementAnswers(service.requirementFields ?? [], answers, isPrivateLink);
  if (problems.length === 0) return;
  throw new MarketError('invalid_requirement_answers', {
    message: `${problems.map(({ message }) => message).join(' ')} Nothing was taken.`,
    data: { problems: problems.map(({ label, message }) => ({ label, message })) },
  });
}
