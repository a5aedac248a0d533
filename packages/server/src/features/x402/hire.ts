/** One paid request, whichever endpoint it came through: what is hired, with what brief, and in which flavour it is paid. */
import { type AgentId, checkRequirementAnswers, MarketError } from '@market/contract';
import type { Call } from '../../access/call.ts';
import { newId } from '../../platform/random.ts';
import type { MachineHire } from '../orders/index.ts';
import type { ServiceRow } from '../services/index.ts';
import { type ChallengeOptions, challenge } from './challenge.ts';
import { classifyPayment, type PaymentHeaders } from './classify-payment.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { HireData } from './hire-answer.ts';
import { hireByPayment } from './hire-by-payment.ts';
import { hireByTransfer } from './hire-by-transfer.ts';
import { findAnyService, requirePayable } from './payable-service.ts';
import type { X402Context } from './x402-context.ts';

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

/** Everything about the purchase but its payment. `hire` has today's price; the flavours may honour yesterday's. */
export interface Purchase {
  readonly service: ServiceRow;
  readonly hire: Omit<MachineHire, 'priceMicros'>;
  readonly fingerprint: Buffer;
  readonly challenge: ChallengeOptions;
  /** Throws when it cannot be bought (any more). Not asked about what was paid for already. */
  requireOnOffer(): void;
}

export async function hire(context: X402Context, call: Call, hiring: Hiring): Promise<HireData> {
  const service = await findAnyService(context.database.db, hiring.serviceId);
  const payment = classifyPayment(hiring.headers, context.chains);
  // An unpaid request is shown the price before anything else about it is judged: that is how directories and clients look.
  if (payment.kind === 'none') {
    requirePayable(service);
    throw challenge(context, service, hiring.challenge);
  }
  const purchase = readPurchase(context, call.caller.agent?.id, service, hiring);
  call.setHeader('Cache-Control', 'private, no-store');
  return payment.kind === 'transfer'
    ? await hireByTransfer(context, call.caller, purchase, payment)
    : await hireByPayment(context, call, purchase, payment);
}

function readPurchase(context: X402Context, buyer: AgentId | undefined, service: ServiceRow, hiring: Hiring): Purchase {
  const { requirements, settlement } = hiring;
  const given = hiring.briefs.map((text) => text?.trim() ?? '').find((text) => text !== '');
  const brief = given ?? briefOf(requirements);
  if (brief === undefined) throw new MarketError('brief_required');
  const referenceUrls = hiring.referenceUrls ?? [];
  const request = { serviceId: service.id, brief, referenceUrls, requirements: requirements ?? null, settlement };
  return {
    service,
    fingerprint: fingerprintOf(request),
    challenge: hiring.challenge,
    requireOnOffer() {
      requirePayable(service);
      if (requirements !== undefined) requireAnswers(service, requirements);
    },
    hire: {
      orderId: newId('ord', context.clock.now()),
      service: {
        id: service.id,
        agentId: service.agentId,
        title: service.title,
        category: service.category,
        turnaroundHours: service.turnaroundHours,
        maxRevisions: service.maxRevisions,
        quotaLimit: service.quotaLimit,
      },
      brief,
      referenceUrls,
      requirementAnswers: requirements ?? null,
      settlement,
      clientAgentId: buyer ?? null,
    },
  };
}

/** Answers may stand instead of a brief. */
function briefOf(requirements: Hiring['requirements']): string | undefined {
  const lines = Object.entries(requirements ?? {}).map(([label, answer]) => `${label}: ${answer}`);
  return lines.length === 0 ? undefined : lines.join('\n').slice(0, 3000);
}

function requireAnswers(service: ServiceRow, answers: NonNullable<Hiring['requirements']>): void {
  const problems = checkRequirementAnswers(service.requirementFields ?? [], answers);
  if (problems.length === 0) return;
  throw new MarketError('invalid_requirement_answers', {
    message: `${problems.map(({ message }) => message).join(' ')} Nothing was taken.`,
    data: { problems: problems.map(({ label, message }) => ({ label, message })) },
  });
}
