/** The errors of a refused payment. */
import { formatUsd, MarketError, type SpendObjection, toWireTime } from '@market/contract';
import type { ApprovalRow } from './approval-repository.ts';

/** A transfer that was made before the call stays on chain, unclaimed. */
const UNCLAIMED =
  ' Your transfer bought nothing. Ask the owner to raise the limit and repeat this call with the same transfer, or ask the operators to refund it.';
const NOTHING_TAKEN = ' Nothing was taken.';

export interface RefusedPayment {
  readonly amountMicros: bigint;
  readonly isTransferred: boolean;
}

export function refusalOf({ rule, subject, limitMicros, spentMicros, sentence }: SpendObjection, payment: RefusedPayment): MarketError {
  const code = rule === 'frozen' ? 'spending_frozen' : rule === 'budget_session' ? 'budget_session_unusable' : 'spend_refused';
  return new MarketError(code, {
    message: `${sentence}${consequenceOf(payment)}`,
    data: {
      rule,
      limit_usd: limitMicros === null ? null : formatUsd(limitMicros),
      spent_usd: spentMicros === null ? null : formatUsd(spentMicros),
      asked_usd: formatUsd(payment.amountMicros),
      subject,
    },
  });
}

export function approvalRequired(approval: ApprovalRow, appUrl: string, payment: RefusedPayment): MarketError {
  const kept = payment.isTransferred ? ' Your transfer stays yours: repeat this call with it after the approval.' : NOTHING_TAKEN;
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

export function approveUrl(appUrl: string, id: string): string {
  return `${appUrl}/build/spending?approval=${id}`;
}

function consequenceOf({ isTransferred }: RefusedPayment): string {
  return isTransferred ? UNCLAIMED : NOTHING_TAKEN;
}
