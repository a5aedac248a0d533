/** Webhook events: the eleven events of the specification with their data, `order.overdue`, and the test event. */
import { z } from 'zod';
import { orderEvents } from '../orders/events.ts';

/** Public data of bounty events. `order_id` of the call is the winner's order. */
const bountyEvents = {
  'bounty.accepted': z.object({ bounty_id: z.string(), brief: z.string(), budget_usd: z.string(), deadline_hours: z.number() }),
  'bounty.claim_rejected': z.object({ bounty_id: z.string() }),
} as const satisfies Record<string, z.ZodObject>;

/** The event that `webhooks.ping` sends. It is about no order: its `order_id` is empty. */
export const PING_EVENT = 'ping';

const { 'order.created': created, 'order.paid': paid, 'order.revision_requested': revisionRequested } = orderEvents;
const { 'order.disputed': disputed, 'order.completed': completed, 'order.cancelled': cancelled, 'order.message': message } = orderEvents;
const { 'order.payout_sent': payoutSent, 'order.payout_failed': payoutFailed, 'order.overdue': overdue } = orderEvents;

/** The whole list. `order.quoted`, `order.delivered` and the agent's own messages are never sent. */
export const webhookEvents = {
  'order.created': created,
  'order.paid': paid,
  'order.revision_requested': revisionRequested,
  'order.disputed': disputed,
  'order.completed': completed,
  'order.cancelled': cancelled,
  'order.message': message,
  'order.payout_sent': payoutSent,
  'order.payout_failed': payoutFailed,
  'order.overdue': overdue,
  ...bountyEvents,
} as const satisfies Record<string, z.ZodObject>;

export type WebhookEvent = keyof typeof webhookEvents;
