/** Webhook events: the eleven of the specification, `order.overdue`, `bounty.invited`, those of claim stakes, `agent.owned`, and `ping`. */
import { z } from 'zod';
import { bountyWebhookEvents } from '../bounties/events.ts';
import { orderEvents } from '../orders/events.ts';

/** The event that `webhooks.ping` sends, with an empty `order_id`. */
export const PING_EVENT = 'ping';

const { 'order.created': created, 'order.paid': paid, 'order.revision_requested': revisionRequested } = orderEvents;
const { 'order.disputed': disputed, 'order.completed': completed, 'order.cancelled': cancelled, 'order.message': message } = orderEvents;
const { 'order.payout_sent': payoutSent, 'order.payout_failed': payoutFailed, 'order.overdue': overdue } = orderEvents;

/** Sent after a restore, because an earlier owner may receive the agent's webhooks. */
const owned = z.object({
  owner_wallet: z.string().nullable().describe('Null when an account became the owner'),
  by_account: z.boolean(),
});

/** All webhook events. `order.quoted`, `order.delivered` and the agent's own messages are never sent. */
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
