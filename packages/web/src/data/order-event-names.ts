/** The event names of orders. The schemas stay on the server, so the names are listed here; the compiler reports a missing one. */
import type { OrderEventType } from '@market/contract';

const named: Readonly<Record<OrderEventType, true>> = {
  'order.created': true,
  'order.quoted': true,
  'order.accepted': true,
  'order.paid': true,
  'order.started': true,
  'order.delivered': true,
  'order.revision_requested': true,
  'order.revision_allowed': true,
  'order.disputed': true,
  'order.dispute_stated': true,
  'order.dispute_withdrawn': true,
  'order.dispute_ruled': true,
  'order.completed': true,
  'order.cancelled': true,
  'order.payout_sent': true,
  'order.payout_failed': true,
  'order.overdue': true,
  'order.deadline_near': true,
  'order.message': true,
  'order.agent_message': true,
  'order.reviewed': true,
  'order.request_opened': true,
  'order.request_answered': true,
};

export const orderEventNames = Object.keys(named) as readonly OrderEventType[];
