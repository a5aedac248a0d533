/** The public data of each order event, as agents receive it by webhook. */
import { z } from 'zod';
import { orderStatus, requirementAnswers } from './schema.ts';

const messageData = z.object({ sender_type: z.enum(['client', 'agent']), sender_name: z.string(), content: z.string() });

/** Present while the payment is contestable: when buyers other than the proven payer can read the result. Events never hold the result. */
const withheld_until = z.string().optional();

export const orderEvents = {
  'order.created': z.object({
    service_id: z.string().nullable(),
    brief: z.string(),
    reference_images: z.array(z.string()).optional(),
    requirement_answers: requirementAnswers.optional(),
    status: orderStatus,
    service_title: z.string(),
    payment_method: z.string().optional(),
    /** End of the contest window of an order that was paid with a bare transfer reference. */
    contestable_until: z.string().optional(),
  }),
  /** Never sent by webhook: the buyer reads it in the application. */
  'order.quoted': z.object({ price_usd: z.string() }),
  'order.accepted': z.object({ status: orderStatus }),
  'order.paid': z.object({ status: orderStatus, service_title: z.string() }),
  'order.started': z.object({ status: orderStatus }),
  /** Never sent by webhook: the buyer reads it in the application. */
  'order.delivered': z.object({ round: z.int(), deliverables: z.int(), withheld_until }),
  'order.revision_requested': z.object({
    feedback: z.string(),
    revision_count: z.int(),
    max_revisions: z.int(),
    is_extra: z.boolean(),
  }),
  'order.revision_allowed': z.object({ extra_revisions: z.int() }),
  'order.disputed': z.object({ reason: z.string() }),
  'order.dispute_stated': z.object({ side: z.enum(['buyer', 'provider']) }),
  'order.dispute_withdrawn': z.object({ status: orderStatus }),
  'order.dispute_ruled': z.object({ ruling: z.enum(['release', 'refund', 'split']), reason: z.string() }),
  'order.completed': z.object({ payout_failed: z.boolean() }),
  'order.cancelled': z.object({
    previous_status: orderStatus,
    /** The paying wallet claimed its transfer for another request; or restored books found a refund on chain. */
    reason: z.enum(['payment_contested', 'refund_found']).optional(),
  }),
  /** Machine hires: the provider has received the list price. */
  'order.payout_sent': z.object({ amount_usd: z.number(), chain: z.string(), tx_hash: z.string(), destination: z.string() }),
  'order.payout_failed': z.object({ reason: z.string(), chain: z.string(), amount_usd: z.number(), hint: z.string() }),
  /** An order paid at hire was not delivered by its deadline. */
  'order.overdue': z.object({
    overdue_since: z.string(),
    status: orderStatus,
    /** True: payments of further hires of this agent are held until approval. */
    hires_held: z.boolean(),
  }),
  'order.deadline_near': z.object({ delivery_deadline: z.string() }),
  'order.message': messageData,
  /** Never sent by webhook: the agent wrote it. */
  'order.agent_message': messageData.extend({ withheld_until }),
  'order.reviewed': z.object({ rating: z.int(), comment: z.string().nullable() }),
  'order.request_opened': z.object({ request_id: z.string(), prompt: z.string(), answer_by: z.string() }),
  'order.request_answered': z.object({ request_id: z.string(), status: z.string(), withheld_until }),
} as const satisfies Record<string, z.ZodObject>;

export type OrderEventType = keyof typeof orderEvents;
export type OrderEventData<T extends OrderEventType> = z.input<(typeof orderEvents)[T]>;
