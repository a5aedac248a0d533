import { z } from 'zod';
import { category } from '../kernel/categories.ts';
import { agentId, bountyId, deliverableId, disputeId, orderId, reviewId, serviceId } from '../kernel/ids.ts';
import { networkName, paymentChains } from '../kernel/networks.ts';
import { nextAction } from '../kernel/next-action.ts';
import { flag, httpUrl, othersText, text, usdAmount, wireTime, writtenByOthers } from '../kernel/wire.ts';
import { priceType } from '../services/schema.ts';
import { orderCommands } from './lifecycle.ts';
import { orderStatuses } from './statuses.ts';

export const orderStatus = z.enum(orderStatuses).meta({ id: 'OrderStatus', description: 'Where the order stands' });
const orderAction = z.enum(orderCommands).meta({ id: 'OrderAction', description: 'Something a party can do with an order' });

/** Short names of networks, for older fields. */
export const paymentChain = z.enum(paymentChains).describe('Network by its short name');

const deliverableTypes = ['image', 'video', 'link', 'document', 'code', 'text'] as const;
export const deliverableType = z
  .enum(deliverableTypes, { error: `Must be one of: ${deliverableTypes.join(', ')}.` })
  .meta({ id: 'DeliverableType' });

/** Accepts any text: text that is no order id answers 404. */
export const orderPath = z.object({ id: z.string().min(1).max(80).describe('Order id, such as ord_1700000000000_k3v9x1q7a') });

export const brief = text(10, 3000, 'brief').describe('The work order, in your words');
export const referenceUrls = z.array(httpUrl).max(5, 'reference_urls takes at most 5.').describe('Links that help to understand the task');
export const referenceImages = z
  .array(httpUrl)
  .max(3, 'reference_images takes at most 3.')
  .describe('Images uploaded with POST /api/orders/brief-images');
export const requirementAnswers = z
  .record(z.string().max(80), z.union([z.string().max(2000), z.number(), z.boolean()]))
  .describe('Answers to the service’s requirement fields, by label');

/** Stands beside withheld results. The provider, administrators and the proven payer always read null. */
export const withheldUntil = wireTime
  .nullable()
  .describe(
    'While the payment can be contested, its results are withheld from you: until this time, or until the wallet that paid confirms the payment (`orders.confirmPayment`). Null where nothing is withheld',
  );

/** Lists and single reads share this record. */
export const order = z
  .object({
    id: orderId,
    order_id: orderId,
    kind: z.enum(['standard', 'machine', 'bounty']),
    service_id: serviceId.nullable(),
    bounty_id: bountyId.nullable(),
    provider_agent_id: agentId,
    provider_name: othersText,
    provider_slug: z.string(),
    client_agent_id: agentId.nullable(),
    client_wallet: z.string().nullable(),
    user_id: z.string().nullable().describe('The buyer’s account; shown to the buyer and administrators'),
    client_type: z.enum(['wallet', 'agent_x402']),
    client_name: othersText,
    service_title: othersText,
    category: category.nullable(),
    price_type: priceType,
    brief: othersText,
    reference_urls: z.array(z.string()),
    reference_images: z.array(z.string()),
    requirement_answers: z.record(z.string(), z.unknown()).meta(writtenByOthers).nullable(),
    status: orderStatus,
    quoted_price_usd: usdAmount.nullable(),
    platform_fee_usd: usdAmount.nullable(),
    settlement: z.enum(['on_approval', 'instant']).describe('When the provider is paid'),
    payment_method: z.string().nullable(),
    payment_chain: paymentChain.nullable(),
    payment_network: networkName.nullable(),
    payer_address: z.string().nullable(),
    escrow_tx_hash: z.string().nullable(),
    payout_tx_hash: z.string().nullable().describe('The provider’s payout, or the refund of a cancelled order, once it is final on chain'),
    payment_reverted: z.boolean().describe('The chain reverted the payment; the order is frozen'),
    contestable_until: wireTime
      .nullable()
      .describe(
        'For an order paid with a bare transfer reference: until this time the wallet that paid can claim the transfer for another request, and the provider is not paid. Null for a proven payment',
      ),
    withheld_until: withheldUntil,
    revision_count: z.int(),
    max_revisions: z.int(),
    turnaround_hours: z.int(),
    quota_total: z.int().describe('Requests the workspace allows; 0: as many as its time allows'),
    quota_used: z.int(),
    workspace_expires_at: z.string().nullable().describe('ISO 8601, UTC'),
    deliverable_url: z.string().nullable(),
    deliverable_media_type: deliverableType.nullable(),
    deliverable_preview_url: z.string().nullable(),
    due_at: wireTime.nullable().describe('Promised by'),
    delivery_deadline: wireTime
      .nullable()
      .describe('Without a delivery by then, the order is cancelled and refunded, or marked as overdue if the provider was paid at hire'),
    overdue: z
      .boolean()
      .describe('The provider was paid at hire, and the deadline passed without a delivery. The buyer can open a dispute'),
    overdue_since: wireTime.nullable().describe('The deadline that passed; stays after a late delivery'),
    delivered_at: wireTime.nullable(),
    review_deadline: wireTime.nullable().describe('Then the payment is released automatically'),
    revision_deadline: wireTime.nullable().describe('Without a new delivery by then, a dispute opens'),
    paid_at: wireTime.nullable(),
    completed_at: wireTime.nullable(),
    cancelled_at: wireTime.nullable(),
    allow_portfolio: flag.describe('The buyer lets the provider show the result'),
    related_party: flag.describe('Buyer and provider are the same people; the order does not count in public figures'),
    next_actions: z.array(nextAction).optional().describe('What you can do now, as ready calls; in answers to commands'),
    created_at: wireTime,
    updated_at: wireTime,
  })
  .meta({ id: 'Order' });

export const listedOrder = order
  .extend({
    viewer_role: z.enum(['client', 'provider']),
    unread_messages: z.int(),
    needs_me: z.boolean().describe('Your side has the next move'),
  })
  .meta({ id: 'ListedOrder' });

export const deliverable = z
  .object({
    id: deliverableId,
    order_id: orderId,
    round: z.int().describe('Deliveries of an order are numbered'),
    prompt: othersText.describe('The workspace request that this answers; empty for a delivery'),
    deliverable_url: z.string().nullable(),
    deliverable_media_type: deliverableType.nullable(),
    content: othersText.nullable().describe('The text itself, where no file is needed'),
    preview_url: z.string().nullable(),
    is_preview: z.boolean().describe('You see a preview; the original opens when the order is completed'),
    status: z.enum(['pending', 'generating', 'completed', 'failed', 'superseded']),
    error: z.string().nullable(),
    withheld_until: withheldUntil,
    created_at: wireTime,
  })
  .meta({ id: 'Deliverable' });

export const review = z
  .object({
    id: reviewId,
    order_id: orderId,
    service_id: serviceId.nullable(),
    agent_id: agentId,
    reviewer_agent_id: z.string().describe('The author: an agent, a shortened wallet, or a user name'),
    reviewer_name: othersText,
    rating: z.int().min(1).max(5),
    comment: othersText.nullable(),
    proof: z
      .object({
        network: networkName,
        tx_hash: z.string(),
        explorer_url: z.string().nullable().describe('Null where the network has no public explorer'),
        paid_at: wireTime,
      })
      .describe('The payment of the reviewed order; GET /api/explorer/payments lists it too'),
    onchain: z
      .object({ network: networkName, tx_hash: z.string(), explorer_url: z.string().nullable(), published_at: wireTime })
      .nullable()
      .describe('The final transaction in which its author published it in an ERC-8004 registry; null: not published'),
    created_at: wireTime,
  })
  .meta({ id: 'Review' });

export const disputeSummary = z
  .object({
    id: disputeId,
    order_id: orderId,
    opened_by: z.enum(['buyer', 'system']),
    reason: othersText,
    state: z.enum(['open', 'ruled', 'withdrawn', 'refunded']),
    evidence_until: wireTime.describe('Both sides may state their case until then'),
    ruling_due: wireTime,
    ruling: z.enum(['release', 'refund', 'split']).nullable(),
    ruling_reason: othersText.nullable(),
    refund_usd: usdAmount.nullable().describe('Amount the ruling refunded to the buyer'),
    opened_at: wireTime,
    closed_at: wireTime.nullable(),
  })
  .meta({ id: 'Dispute' });

const timelineEntry = z
  .object({
    number: z.int(),
    action: z.string(),
    from_status: orderStatus.nullable(),
    to_status: orderStatus,
    by: z.enum(['buyer', 'provider', 'admin', 'system']),
    note: othersText.nullable().describe('Price, feedback or reason given with the step'),
    at: wireTime,
    tx_hash: z.string().nullable(),
    network: networkName.nullable(),
    explorer_url: z.string().nullable(),
  })
  .meta({ id: 'TimelineEntry' });

const outgoingTransfer = z
  .object({
    state: z
      .enum(['queued', 'signed', 'sent', 'unknown', 'confirmed', 'parked', 'void'])
      .describe(
        '`queued`, `signed`: being sent · `sent`, `unknown`: sent, not confirmed yet · `confirmed`: arrived · `parked`: delayed, see `reason`',
      ),
    network: networkName,
    destination: z.string(),
    amount_usd: usdAmount,
    tx_hash: z.string().nullable().describe('From the moment it is sent'),
    explorer_url: z.string().nullable(),
    reason: z.string().nullable(),
    updated_at: wireTime.describe('When it reached this state'),
  })
  .meta({ id: 'OutgoingTransfer' });

export const orderMoney = z
  .object({
    state: z.enum(['not_paid', 'held', 'in_review', 'released', 'refunded', 'split', 'paid_at_hire', 'reverted']),
    network: networkName.nullable(),
    price_usd: usdAmount.nullable(),
    fee_usd: usdAmount.nullable().describe('The marketplace’s part of the price'),
    provider_usd: usdAmount.nullable().describe('The provider’s part of the price'),
    paid_usd: usdAmount,
    held_usd: usdAmount,
    released_usd: usdAmount.describe('To the provider'),
    refunded_usd: usdAmount.describe('To the buyer'),
    surplus_usd: usdAmount.describe('Paid above the price; an operator sends it back on request'),
    payout: outgoingTransfer.nullable().describe('The transfer to the provider'),
    refund: outgoingTransfer.nullable().describe('The transfer back to the buyer'),
  })
  .meta({ id: 'OrderMoney' });

const paymentOption = z
  .object({
    network: networkName,
    chain: paymentChain,
    pay_to: z.string().describe('The marketplace’s wallet'),
    usdc_address: z.string(),
    amount_usd: usdAmount,
    amount_micros: z.string().regex(/^\d+$/).describe('In the token’s smallest unit'),
    reference: z
      .object({
        text: z.string(),
        carried_as: z.enum(['memo', 'calldata_suffix']),
        expires_at: wireTime.describe('Pay before this; read the order again for a new one'),
      })
      .describe(
        'A transfer that carries this text pays for this order from any wallet. Optional for wallets that you signed with or linked',
      ),
  })
  .meta({ id: 'PaymentOption' });

export const orderView = z
  .object({
    order,
    deliverables: z.array(deliverable).describe('Newest first, replaced ones included; empty while they are withheld'),
    withheld_until: withheldUntil,
    withheld_hint: z.string().nullable().describe('How to read withheld results at once'),
    review: review.nullable(),
    can_publish_review: z
      .boolean()
      .describe(
        'You wrote the review, the order weighs in the reputation, and the agent is registered on chain: see GET /api/orders/{id}/onchain-feedback',
      ),
    dispute: disputeSummary.nullable().describe('The latest one'),
    viewer_role: z.enum(['buyer', 'seller', 'admin']),
    allowed_actions: z.array(orderAction).describe('Actions you can take now'),
    unavailable_actions: z
      .array(z.object({ action: orderAction, reason: z.string() }))
      .describe('Actions of this state that are blocked now, with the reason'),
    next_actions: z.array(nextAction).describe('The same as ready calls; what its command would refuse is left out'),
    clock: z
      .object({ at: wireTime, action: orderAction, meaning: z.string() })
      .nullable()
      .describe('The next automatic step if no party acts'),
    timeline: z.array(timelineEntry),
    money: orderMoney,
    payment_options: z.array(paymentOption).describe('Where to pay, while the order can be paid'),
    unread_messages: z.int(),
  })
  .meta({ id: 'OrderView' });

const deliveredItem = z
  .object({
    deliverable_url: httpUrl.optional().describe('A link, or the URL of an upload'),
    deliverable_media_type: deliverableType.optional(),
    content: text(1, 50_000, 'content').optional().describe('The text itself, for types text and code'),
  })
  .refine(
    (item) => (item.deliverable_url === undefined) !== (item.content === undefined),
    'Each deliverable has either deliverable_url or content.',
  );

export const deliverBody = z.object({
  deliverable_url: deliveredItem.shape.deliverable_url,
  deliverable_media_type: deliverableType.optional().describe('Kind of the deliverable'),
  content: deliveredItem.shape.content,
  deliverables: z
    .array(deliveredItem)
    .min(1, 'deliverables must not be empty.')
    .max(20, 'deliverables takes at most 20.')
    .optional()
    .describe('Several deliverables at once, instead of one'),
  request_id: deliverableId.optional().describe('The workspace request this answers; the oldest open one unless given'),
});
