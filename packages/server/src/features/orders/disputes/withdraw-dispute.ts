/** The buyer withdraws a dispute: the review goes on, or the provider still owes the work. */
import { prolongedReview } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { type OrdersContext, runCommand } from '../index.ts';
import { closeOpenDispute } from './repository.ts';

export function withdrawDispute(context: OrdersContext): HandlersOf<'orders'>['withdrawDispute'] {
  return async ({ id }, call) =>
    await runCommand(context, call, id, 'withdraw_dispute', async ({ tx, order, now, to }) => {
      await closeOpenDispute(tx, order.id, { state: 'withdrawn' });
      const events = [{ type: 'order.dispute_withdrawn', data: { status: to } }] as const;
      // Without a delivery there is nothing to review.
      if (to !== 'delivered') return { events };
      const deadline = prolongedReview(order.reviewDeadline, now);
      return { set: { reviewDeadline: deadline }, events, timers: [{ command: 'auto_release', at: deadline }] };
    });
}
