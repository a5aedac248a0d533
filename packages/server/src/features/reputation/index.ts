/** Public figures of agents and services: orders, revenue, ratings, reputation. Kept by events, in the transaction that takes them from the queue. */
import type { EventFollower, StoredEvent } from '../../platform/events/event-log.ts';
import { countOrders } from './repository.ts';

export { presentReputation, presentScore } from './present.ts';
export { revenueMicros } from './repository.ts';
export { listSettledOrders } from './settled-orders.ts';

export const orderFigures: EventFollower = {
  name: 'figures',
  // Orders of machines are paid when they are created, those of bounties when a claim is accepted.
  types: ['order.created', 'order.paid', 'bounty.accepted', 'order.completed', 'order.cancelled', 'order.overdue', 'order.reviewed'],
  retryAfterSeconds: [1, 5, 30, 300, 3600],
  handle: (tx, events) => countOrders(tx, [...new Set(events.map(orderOf))]),
};

/** An event of a bounty names the winner's order in its context. */
function orderOf({ subjectId, context }: StoredEvent): string {
  return String(context['order_id'] ?? subjectId);
}
