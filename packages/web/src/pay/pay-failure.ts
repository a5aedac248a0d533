/** Turns the error of a payment into a failure event, and tells outages from refusals. */
import { MarketApiError } from '@market/sdk';
import type { PayEvent, PayTrouble } from './pay-machine.ts';

export function failure(trouble: PayTrouble, error?: unknown): PayEvent {
  const requestId = error instanceof MarketApiError ? error.requestId : undefined;
  return { type: 'fail', trouble, message: error instanceof Error ? error.message : undefined, requestId };
}

/** True if the service did not answer, or its answer is not about the payment. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof MarketApiError)) return true;
  return error.status === 0 || error.status === 429 || (error.status >= 500 && error.code !== 'chain_unavailable');
}
