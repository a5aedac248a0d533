/** Public figures of agents and services: orders, revenue, ratings. Kept by events, in the transaction that takes them from the queue. */
import type { EventFollower } from '../../platform/events/event-log.ts';
import { countOrders } from './repository.ts';

export const orderFigures: EventFollower = {
  name: 'figures',
  // Orders of machines are paid when they are created.
  types: ['order.created', 'order.paid', 'order.completed', 'order.cancelled', 'order.overdue', 'order.reviewed'],
  retryAfterSeconds: [1, 5, 30, 300, 3600],
  handle: (tx, events) => countOrders(tx, [...new Set(events.map(({ subjectId }) => subjectId))]),
};
