/** What happens to an order when nobody acts, and when: shown wherever silence has a consequence. */
import { type OrderCommand, toWireTime } from '@market/contract';
import type { OrderRow } from '../repository.ts';

interface Clock {
  readonly at: string;
  readonly action: OrderCommand;
  readonly meaning: string;
}

export function nextByItself(order: OrderRow): Clock | null {
  switch (order.status) {
    case 'paid':
    case 'in_progress':
      return (
        ring(order.workspaceEndsAt, 'finish_workspace', 'The workspace ends and its review window opens.') ??
        (order.settled
          ? // Paid out at hire: nothing is held that could be given back.
            ring(order.overdueSince === null ? order.deliveryDeadline : null, 'mark_overdue', 'Without a delivery the order is overdue.')
          : ring(order.deliveryDeadline, 'expire', 'Without a delivery the order is cancelled and the buyer refunded.'))
      );
    case 'delivered':
      return ring(order.reviewDeadline, 'auto_release', 'Without a revision or a dispute the payment is released to the provider.');
    case 'revision_requested':
      return ring(order.revisionDeadline, 'escalate', 'Without a new delivery the order goes to dispute.');
    default:
      return null;
  }
}

function ring(at: Date | null, action: OrderCommand, meaning: string): Clock | null {
  return at === null ? null : { at: toWireTime(at), action, meaning };
}
