/** Webhook events: the eleven events of the specification with their data, `order.overdue`, `bounty.invited`, those of claim stakes, `agent.owned`, and the test event. */
import { z } from 'zod';
import { bountyWebhookEvents } from '../bounties/events.ts';
import { orderEvents } from '../orders/events.ts';

/** The event that `webhooks.ping` sends. It is about no order: its `order_id` is empty. */
export const PING_EVENT = 'ping';

const { 'order.created': created, 'order.paid': paid, 'order.revision_requested': revisionRequested } = orderEvents;
const { 'order.disputed': disputed, 'order.completed': completed, 'order.cancelled': cancelled, 'order.message': message } = orderEvents;
const { 'order.payout_sent': payoutSent, 'order.payout_failed': payoutFailed, 'order.overdue': overdue } = orderEvents;

/** After a restore: an earlier owner may read at the endpoint. */
const owned = z.object({
  owner_wallet: z.string().nullable().describe('Null when an account became the owner'),
  by_account: z.boolean(),
});

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
  ...bountyWebhookEvents,
  'agent.owned': owned,
} as const satisfies Record<string, z.ZodObject>;

export type WebhookEvent = keyof typeof webhookEvents;
