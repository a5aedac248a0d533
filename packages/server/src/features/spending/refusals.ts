/** The errors of a refused payment. */
import { formatUsd, MarketError, type SpendObjection, type SpendRule, spendingLimits, toWireTime } from '@market/contract';
import type { ApprovalRow } from './approval-repository.ts';

const NOTHING_TAKEN = ' Nothing was taken.';

export interface RefusedPayment {
  readonly amountMicros: bigint;
  /** The transfer was made before the call: it stays on chain, unclaimed. */
  readonly isTransferred: boolean;
  /** The seconds after it was made in which the transfer can pay for this; undefined: no limit. */
  readonly transferSeconds: number | undefined;
}

/** The rule that refuses, or why there is no approval of the owner. */
export type Obstacle = SpendRule | 'declined' | 'too_many_wait' | 'no_owner';

/** The step before the caller repeats the call with the same transfer. Null: nothing helps. */
const remedies: Readonly<Record<Obstacle, string | null>> = {
  frozen: 'Ask the owner to lift the freeze',
  block_agents: 'Ask the owner to allow this agent',
  allow_agents: 'Ask the owner to allow this agent',
  block_categories: 'Ask the owner to allow this category',
  allow_categories: 'Ask the owner to allow this category',
  per_order: 'Ask the owner to raise the limit',
  per_day: 'Ask the owner to raise the limit',
  per_provider_day: 'Ask the owner to raise the limit',
  per_category_day: 'Ask the owner to raise the limit',
  budget_session: 'Name another budget session',
  approve_above: 'Ask the owner to raise the limit',
  too_many_wait: 'Ask the owner to decide about the payments that wait',
  no_owner: null,
  declined: null,
};

const additions: Partial<Readonly<Record<Obstacle, string>>> = {
  declined: ' The owner declined this payment.',
  too_many_wait: ` ${spendingLimits.waitingApprovals} payments wait for approval already, so the owner was not asked.`,
  no_owner: ' Nobody can be asked: this agent has no proven owner.',
};

interface Refusal {
  readonly error: MarketError;
  /** The reason, for the list of decisions. */
  readonly sentence: string;
}

export function refusalOf(
  { rule, subject, limitMicros, spentMicros, sentence: why }: SpendObjection,
  payment: RefusedPayment,
  obstacle: Obstacle = rule,
): Refusal {
  const code = rule === 'frozen' ? 'spending_frozen' : rule === 'budget_session' ? 'budget_session_unusable' : 'spend_refused';
  const sentence = `${why}${additions[obstacle] ?? ''}`;
  const error = new MarketError(code, {
    message: `${sentence}${payment.isTransferred ? unclaimed(payment, remedies[obstacle]) : NOTHING_TAKEN}`,
    data: {
      rule,
      limit_usd: limitMicros === null ? null : formatUsd(limitMicros),
      spent_usd: spentMicros === null ? null : formatUsd(spentMicros),
      asked_usd: formatUsd(payment.amountMicros),
      subject,
    },
  });
  return { error, sentence };
}

function unclaimed(payment: RefusedPayment, remedy: string | null): string {
  const repeat = remedy === null ? 'Ask' : `${remedy} and repeat this call with the same transfer, or ask`;
  return ` Your transfer bought nothing. ${repeat} the operators to refund it.${remedy === null ? '' : deadlineOf(payment)}`;
}

/** Names a duration, because the time of the transfer is on its chain, which nobody has asked yet. */
function deadlineOf({ transferSeconds }: RefusedPayment): string {
  return transferSeconds === undefined ? '' : ` The transfer can pay for this within ${transferSeconds / 60} minutes after it was made.`;
}

export function approvalRequired(approval: ApprovalRow, appUrl: string, payment: RefusedPayment): MarketError {
  const kept = payment.isTransferred
    ? ` Your transfer bought nothing yet: name it again in that call, or ask the operators to refund it.${deadlineOf(payment)}`
    : NOTHING_TAKEN;
  return new MarketError('approval_required', {
    message: `${approval.sentence} They were asked. Repeat this call, unchanged, once they approved.${kept}`,
    data: {
      approval_id: approval.id,
      approve_url: approveUrl(appUrl, approval.id),
      amount_usd: formatUsd(approval.amountMicros),
      expires_at: toWireTime(approval.expiresAt),
    },
  });
}

/** Another call reserved the same payment. */
export function paymentUnderWay(cause?: unknown): MarketError {
  return new MarketError('payment_under_way', { retryAfterSeconds: 5, cause });
}

export function approveUrl(appUrl: string, id: string): string {
  return `${appUrl}/build/spending?approval=${id}`;
}
