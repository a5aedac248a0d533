/** One payment buys one thing: shown for another, it is a conflict that names what it is for. */
import { MarketError } from '@market/contract';
import type { PurchaseRow } from './repository.ts';

export function paymentForOtherRequest({ purpose, subjectId }: Pick<PurchaseRow, 'purpose' | 'subjectId'>): MarketError {
  return new MarketError('payment_for_other_request', {
    data: purpose === 'registration' ? { agent_id: subjectId } : { order_id: subjectId },
  });
}
