/** Inserts a delivery for every webhook event, in the statement that appends the event. */
import { PING_EVENT, webhookEvents } from '@market/contract';
import type { EventRecorder, NewEvent } from '../../platform/events/event-log.ts';
import { newDeliveryId } from '../../platform/random.ts';
import { INSERT_DELIVERIES, type NewDelivery, NOTIFY_SENDERS } from './queue-repository.ts';

export function webhookRecorder(): EventRecorder {
  return {
    types: [...Object.keys(webhookEvents), PING_EVENT],
    name: 'webhook',
    rowOf: (event) => (event.agentId === undefined ? null : { ...deliveryOf(event) }),
    parts: INSERT_DELIVERIES,
    notices: NOTIFY_SENDERS,
  };
}

function deliveryOf({ type, subjectId, data, context = {} }: NewEvent): NewDelivery {
  // The event's subject is the order. A bounty's winner finds the order in the context; its losers and a ping have none.
  const orderId = String(context['order_id'] ?? (subjectId.startsWith('ord_') ? subjectId : ''));
  return {
    // The answer to a ping already has its id.
    id: String(context['delivery_id'] ?? newDeliveryId()),
    order_id: orderId === '' ? null : orderId,
    body: JSON.stringify({ event: type, order_id: orderId, data }),
    is_test: type === PING_EVENT,
  };
}
