/** Notifications to buyer and provider for each event of an order. The side that acted gets one only as a receipt or when money moves. */
import type { OrderEventData, OrderEventType, OrderRole, OrderStatus } from '@market/contract';
import type { NotifiedOrder } from './repository.ts';
import { amount, because, excerpt, minute, quoted, type SideNotices, words } from './words.ts';

type NoticeWriter<T extends OrderEventType> = (data: OrderEventData<T>, order: NotifiedOrder, by: OrderRole) => SideNotices;

export const orderNotices: { readonly [T in OrderEventType]: NoticeWriter<T> } = {
  'order.created': ({ status, contestable_until: until }, order) => ({
    provider: words('provider_order_received', 'New order', `${orderedAs(status, order)}${contestWarning(until)}`),
  }),

  'order.quoted': ({ price_usd: price }, order) => ({
    buyer: words(
      'order_quoted',
      `Price: ${price} USDC`,
      `${order.providerName} quotes ${price} USDC for ${quoted(order)}. Pay to begin, or cancel.`,
    ),
  }),

  'order.accepted': (_data, order) => ({
    provider: words('provider_order_accepted', 'Price accepted', `Your price for ${quoted(order)} was accepted. It is not paid yet.`),
  }),

  'order.paid': (_data, order) => ({
    provider: words(
      'provider_order_paid',
      'Paid',
      `${quoted(order)} is paid: ${amount(order.priceMicros, order.network)} is held until the buyer approves. You can begin.`,
    ),
  }),

  'order.started': (_data, order) => ({
    buyer: words('order_started', 'Work has begun', `${order.providerName} has begun to work on ${quoted(order)}.`),
  }),

  'order.delivered': noticeOfDelivery,

  'order.revision_requested': ({ feedback, revision_count: count, max_revisions: max }, order) => ({
    buyer: words(
      'order_revision',
      'Revision requested',
      `${order.providerName} has until ${minute(order.revisionDeadline)} to deliver ${quoted(order)} again. Revision ${count} of ${Math.max(count, max)}.`,
    ),
    provider: words(
      'provider_revision_requested',
      'Revision requested',
      `${quoted(order)} needs a change: ${excerpt(feedback)} Deliver again by ${minute(order.revisionDeadline)}, or the order goes to dispute.`,
    ),
  }),

  'order.revision_allowed': (_data, order) => ({
    buyer: words('order_revision_allowed', 'One more revision', `${order.providerName} allows one more revision of ${quoted(order)}.`),
  }),

  // Events of the transfer itself notify instead.
  'order.payout_sent': () => ({}),
  'order.payout_failed': () => ({}),

  'order.disputed': ({ reason }, order, by) => ({
    ...(by !== 'buyer' && {
      buyer: words(
        'order_disputed',
        'In dispute',
        `${quoted(order)} went to dispute.${because(reason)} State your case${order.paidAtHire ? '' : '; the payment stays held'}.`,
      ),
    }),
    provider: words(
      'provider_order_disputed',
      'In dispute',
      `${quoted(order)} is disputed.${because(reason)} ${order.paidAtHire ? 'Deliver what you owe, or state your case.' : 'State your case, or give the money back; the payment stays held.'}`,
    ),
  }),

  'order.dispute_stated': ({ side }, order) => {
    const body = `The other side stated its case in the dispute about ${quoted(order)}. Read it and state yours.`;
    return side === 'provider'
      ? { buyer: words('order_dispute_stated', 'New statement', body) }
      : { provider: words('provider_dispute_stated', 'New statement', body) };
  },

  'order.dispute_withdrawn': ({ status }, order) => ({
    provider: words(
      'provider_dispute_withdrawn',
      'Dispute withdrawn',
      `The dispute about ${quoted(order)} was withdrawn. ${status === 'delivered' ? `The payment is in review until ${minute(order.reviewDeadline)}.` : 'It is still overdue: deliver it now.'}`,
    ),
  }),

  'order.dispute_ruled': ({ ruling, reason }, order) => {
    const outcome = {
      release: order.paidAtHire
        ? `${quoted(order)} is closed. ${order.providerName} was paid at hire and keeps the payment.`
        : `The payment for ${quoted(order)} is released to ${order.providerName}.`,
      refund: `The payment for ${quoted(order)} is refunded to the buyer.`,
      split: `Of the payment for ${quoted(order)}, ${amount(order.refundMicros, order.network)} is refunded to the buyer and the rest released to ${order.providerName}.`,
    }[ruling];
    const body = `${outcome}${because(reason)}`;
    return {
      buyer: words('order_dispute_ruled', 'Dispute ruled', body),
      provider: words('provider_dispute_ruled', 'Dispute ruled', body),
    };
  },

  'order.completed': noticeOfCompletion,
  'order.cancelled': noticeOfCancellation,

  'order.deadline_near': ({ delivery_deadline: deadline }, order) => ({
    buyer: words(
      'order_deadline_near',
      'Overdue',
      `${quoted(order)} was not delivered as promised. Without a delivery by ${deadline.slice(0, 16)} UTC it is cancelled and refunded.`,
    ),
    provider: words(
      'provider_deadline_near',
      'Overdue',
      `${quoted(order)} should have been delivered. Deliver by ${deadline.slice(0, 16)} UTC, or it is cancelled and the buyer refunded.`,
    ),
  }),

  'order.overdue': ({ hires_held: held }, order) => ({
    buyer: words(
      'order_overdue',
      'Overdue',
      `${quoted(order)} was not delivered by its deadline. ${order.providerName} was paid at hire and still owes the work. You can open a dispute; it cannot bring the money back.`,
    ),
    provider: words(
      'provider_order_overdue',
      'Overdue',
      `${quoted(order)} was not delivered by its deadline and counts against you. Deliver it now.${held ? ' Your next hires are held until approval, until your overdue orders are delivered or refunded.' : ''}`,
    ),
  }),

  'order.message': ({ sender_name: sender, content }, order) => ({
    provider: words('provider_order_message', `Message from ${sender}`, `About ${quoted(order)}: ${excerpt(content)}`),
  }),

  'order.agent_message': ({ sender_name: sender, content, withheld_until: until }, order) => ({
    buyer: words(
      'order_message',
      `Message from ${sender}`,
      until === undefined ? `About ${quoted(order)}: ${excerpt(content)}` : `A message about ${quoted(order)}.${withheldWords(until)}`,
    ),
  }),

  'order.reviewed': ({ rating, comment }, order) => ({
    provider: words(
      'provider_order_reviewed',
      `Review: ${rating} of 5`,
      `${quoted(order)} was reviewed with ${rating} of 5.${comment === null || comment === '' ? '' : ` ${excerpt(comment)}`}`,
    ),
  }),

  'order.request_opened': ({ prompt, answer_by: answerBy }, order) => ({
    provider: words(
      'provider_request_opened',
      'New request',
      `In ${quoted(order)}: ${excerpt(prompt)} Answer by ${answerBy.slice(0, 16)} UTC.`,
    ),
  }),

  'order.request_answered': ({ status }, order) =>
    status === 'completed'
      ? { buyer: words('order_request_answered', 'Request answered', `${order.providerName} answered your request in ${quoted(order)}.`) }
      : {
          buyer: words(
            'order_request_failed',
            'Request not answered',
            `A request in ${quoted(order)} was not answered. It does not count against your quota.`,
          ),
          provider: words('provider_request_failed', 'Request not answered', `A request in ${quoted(order)} was not answered in time.`),
        },
};

function orderedAs(status: OrderStatus, order: NotifiedOrder): string {
  if (status === 'pending_quote') return `Somebody asks for your price for ${quoted(order)}. Read the brief and quote.`;
  if (status === 'quoted') return `${quoted(order)} was ordered for ${amount(order.priceMicros, null)}. Work begins when it is paid.`;
  return `${quoted(order)} was ordered and is paid: ${amount(order.priceMicros, order.network)}. You can begin.`;
}

function contestWarning(until: string | undefined): string {
  if (until === undefined) return '';
  return ` Until ${until.slice(0, 16)} UTC the wallet that paid can claim its transfer for another request, which cancels the order: you may wait until then.`;
}

function withheldWords(until: string | undefined): string {
  return until === undefined ? '' : ` It is withheld until ${until.slice(0, 16)} UTC: sign with the wallet that paid to read it at once.`;
}

function noticeOfDelivery(data: OrderEventData<'order.delivered'>, order: NotifiedOrder, by: OrderRole): SideNotices {
  const choice = `by ${minute(order.reviewDeadline)}; then the payment is released.${withheldWords(data.withheld_until)}`;
  if (order.reviewDeadline === null) {
    const withdraw = 'Withdraw the dispute if that settles it.';
    return { buyer: words('order_delivered', 'Delivered', `${order.providerName} delivered ${quoted(order)} late. ${withdraw}`) };
  }
  if (by !== 'system') {
    return {
      buyer: words(
        'order_delivered',
        'Delivered',
        `${order.providerName} delivered ${quoted(order)}. Approve it, ask for a revision or dispute it ${choice}`,
      ),
    };
  }
  return {
    buyer: words(
      'order_delivered',
      'Workspace ended',
      `${quoted(order)} has ended. Approve it, ask for a revision or dispute it ${choice}`,
    ),
    provider: words(
      'provider_order_delivered',
      'Workspace ended',
      `${quoted(order)} has ended. The payment is in review until ${minute(order.reviewDeadline)}.`,
    ),
  };
}

/** If the provider was paid at hire, no money is released at completion. */
function noticeOfCompletion(_data: unknown, order: NotifiedOrder, by: OrderRole): SideNotices {
  const { agentMicros, refundMicros, network } = order;
  const how = by === 'buyer' ? 'was approved' : 'is completed';
  const released = agentMicros === null ? '' : ` ${amount(agentMicros, network)} is released to you and on its way.`;
  const refunded = refundMicros === null || refundMicros === 0n ? '' : ` ${amount(refundMicros, network)} is refunded to you.`;
  return {
    buyer: words(
      'order_completed',
      'Completed',
      `${quoted(order)} is completed.${agentMicros === null ? '' : ` The payment is released to ${order.providerName}.`}${refunded} You can leave a review.`,
    ),
    provider: words('provider_order_completed', 'Completed', `${quoted(order)} ${how}.${released}`),
  };
}

const unpaid: ReadonlySet<OrderStatus> = new Set(['pending_quote', 'quoted', 'accepted']);

function noticeOfCancellation(
  { previous_status: from, reason }: OrderEventData<'order.cancelled'>,
  order: NotifiedOrder,
  by: OrderRole,
): SideNotices {
  if (reason === 'payment_contested') return noticeOfContest(order);
  if (reason === 'refund_found') return noticeOfFoundRefund(order);
  const paid = !unpaid.has(from);
  const why = {
    buyer: `${quoted(order)} was cancelled by the buyer.`,
    provider: paid
      ? `${order.providerName} gives the money for ${quoted(order)} back.`
      : `${order.providerName} declined ${quoted(order)}.`,
    admin: `${quoted(order)} was cancelled by an administrator.`,
    system: `${quoted(order)} was cancelled because it was not delivered in time.`,
  }[by];
  const money = amount(order.refundMicros, order.network);
  return {
    buyer: words(
      'order_cancelled',
      paid ? 'Cancelled, refund on its way' : 'Cancelled',
      `${why} ${paid ? `${money} is refunded to the wallet that paid.` : 'Nothing was paid.'}`,
    ),
    provider: words('provider_order_cancelled', 'Cancelled', `${why} ${paid ? `${money} is refunded to the buyer.` : 'Nothing was paid.'}`),
  };
}

function noticeOfFoundRefund(order: NotifiedOrder): SideNotices {
  const why = `${quoted(order)} was cancelled: its payment had gone back to the wallet that paid before the marketplace was restored.`;
  return {
    buyer: words('order_cancelled', 'Cancelled', why),
    provider: words('provider_order_cancelled', 'Cancelled', `${why} Stop working on it.`),
  };
}

/** Cancelled without a refund, because the payment now pays for another purchase of the same wallet. */
function noticeOfContest(order: NotifiedOrder): SideNotices {
  const why = `${quoted(order)} was cancelled: the wallet that paid claimed its transfer for another request.`;
  return {
    buyer: words('order_cancelled', 'Cancelled', `${why} The transfer pays for that request now.`),
    provider: words('provider_order_cancelled', 'Cancelled', `${why} Nothing is paid out. Stop working on it.`),
  };
}
