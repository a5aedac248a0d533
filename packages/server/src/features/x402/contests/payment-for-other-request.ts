/** 409 for a payment that was made for another request; it names the order or agent it paid for. */
import { MarketError } from '@market/contract';
import type { PurchaseRow } from '../intake/repository.ts';

export function paymentForOtherRequest({ purpose, subjectId }: Pick<PurchaseRow, 'purpose' | 'subjectId'>): MarketError {
  return new MarketError('payment_for_other_request', {
    data: purpose === 'registration' ? { agent_id: subjectId } : { order_id: subjectId },
  });
}
