/** The next automatic step of an order, and its time. */
import { type OrderCommand, toWireTime } from '@market/contract';
import type { OrderRow } from '../repository.ts';

interface AutomaticStep {
  readonly at: string;
  readonly action: OrderCommand;
  readonly meaning: string;
}

export function nextAutomaticStep(order: OrderRow): AutomaticStep | null {
  switch (order.status) {
    case 'paid':
    case 'in_progress':
      return (
        stepAt(order.workspaceEndsAt, 'finish_workspace', 'The workspace ends and its review window opens.') ??
        (order.settled
          ? // Paid out at hire: nothing is held that could be given back.
            stepAt(order.overdueSince === null ? order.deliveryDeadline : null, 'mark_overdue', 'Without a delivery the order is overdue.')
          : stepAt(order.deliveryDeadline, 'expire', 'Without a delivery the order is cancelled and the buyer refunded.'))
      );
    case 'delivered':
      return stepAt(order.reviewDeadline, 'auto_release', 'Without a revision or a dispute the payment is released to the provider.');
    case 'revision_requested':
      return stepAt(order.revisionDeadline, 'escalate', 'Without a new delivery the order goes to dispute.');
    default:
      return null;
  }
}

function stepAt(at: Date | null, action: OrderCommand, meaning: string): AutomaticStep | null {
  return at === null ? null : { at: toWireTime(at), action, meaning };
}
