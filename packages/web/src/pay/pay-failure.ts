/** What a page says when something about a payment went wrong. */
import { MarketApiError } from '@market/sdk';
import type { PayEvent, PayTrouble } from './pay-machine.ts';

export function failure(trouble: PayTrouble, error?: unknown): PayEvent {
  const requestId = error instanceof MarketApiError ? error.requestId : undefined;
  return { type: 'fail', trouble, message: error instanceof Error ? error.message : undefined, requestId };
}

/** The service did not answer, or not about the payment. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof MarketApiError)) return true;
  return error.status === 0 || error.status === 429 || (error.status >= 500 && error.code !== 'chain_unavailable');
}
