/** Public figures of agents and services: orders, revenue, ratings. Kept by events, in the same transaction as the event's job ends. */
import type { Database } from '../../platform/db/database.ts';
import type { EventSubscriber } from '../../platform/events/event-log.ts';
import { countOrder } from './repository.ts';

export function orderFigures({ transaction }: Database): EventSubscriber {
  return {
    name: 'figures',
    // Orders of machines are paid when they are created.
    types: ['order.created', 'order.paid', 'order.completed', 'order.cancelled', 'order.overdue', 'order.reviewed'],
    retryAfterSeconds: [1, 5, 30, 300, 3600],
    async handle(event, attempt) {
      await transaction(async (tx) => {
        await countOrder(tx, event.subjectId);
        await attempt.complete(tx);
      });
    },
  };
}
