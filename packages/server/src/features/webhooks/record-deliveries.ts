/** Inserts a delivery for every webhook event, in the transaction that causes the event. */
import { PING_EVENT, webhookEvents } from '@market/contract';
import type { EventRecorder, RecordedEvent } from '../../platform/events/event-log.ts';
import { newDeliveryId } from '../../platform/random.ts';
import { insertDeliveries, type NewDelivery } from './queue-repository.ts';

export function webhookRecorder(): EventRecorder {
  return {
    types: [...Object.keys(webhookEvents), PING_EVENT],
    record: async (tx, events) => await insertDeliveries(tx, events.flatMap(deliveryOf)),
  };
}

function deliveryOf(event: RecordedEvent): NewDelivery[] {
  const { id, type, agentId, agentSeq, data, createdAt, context } = event;
  if (agentId === null || agentSeq === null) return [];
  const orderId = orderOf(event);
  return [
    {
      // A ping has said its id already.
      id: String(context['delivery_id'] ?? newDeliveryId(createdAt)),
      event_id: String(id),
      agent_id: agentId,
      agent_seq: String(agentSeq),
      event: type,
      order_id: orderId === '' ? null : orderId,
      body: JSON.stringify({ event: type, order_id: orderId, data }),
      is_test: type === PING_EVENT,
    },
  ];
}

/** An event is about its order, unless its context names another: that of a bounty is about the bounty. A test is about none. */
function orderOf({ type, subjectId, context }: RecordedEvent): string {
  if (type === PING_EVENT) return '';
  return String(context['order_id'] ?? subjectId);
}
