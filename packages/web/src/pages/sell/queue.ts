/** The seller's queue: open orders, deadlines, and the next automatic step. Pure. */
import { formatUsd, instantPayoutRule, type OrderStatus, orderDurations, parseUsd, splitPrice } from '@market/contract';
import type { Answer } from '../../data/answers.ts';
import { isWorkspace, roundWords } from '../orders/order/order-view.ts';
import type { SentenceParts } from '../orders/order/sentence-parts.ts';

export type QueueOrder = Answer<'orders.list'>['data'][number];

/** Statuses of orders that have not ended. */
export const openStatuses: readonly OrderStatus[] = [
  'pending_quote',
  'quoted',
  'accepted',
  'paid',
  'in_progress',
  'delivered',
  'revision_requested',
  'disputed',
];

/** The deadline: the promised time, or the next automatic step. Null without a deadline. */
export function dueAt(order: QueueOrder): string | null {
  switch (order.status) {
    case 'paid':
    case 'in_progress':
      return order.workspace_expires_at ?? order.due_at;
    case 'delivered':
      return order.review_deadline;
    case 'revision_requested':
      return order.revision_deadline;
    default:
      return null;
  }
}

/** Soonest deadline first; orders without one follow, oldest first. */
export function sortByDeadline(orders: readonly QueueOrder[]): readonly QueueOrder[] {
  const rank = (order: QueueOrder): string => `${dueAt(order)?.replace('T', ' ') ?? '9999'} ${order.created_at}`;
  return orders.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** The seller's part of the price: prices for people include the fee, machines pay it on top. */
export function yourPart({ quoted_price_usd, platform_fee_usd, kind }: QueueOrder): string | null {
  if (quoted_price_usd === null) return null;
  const price = parseUsd(quoted_price_usd) ?? 0n;
  if (kind !== 'standard') return quoted_price_usd;
  const fee = platform_fee_usd === null ? splitPrice(price).feeMicros : (parseUsd(platform_fee_usd) ?? 0n);
  return formatUsd(price - fee);
}

export type NextAct = 'quote' | 'start' | 'deliver' | 'answer' | 'open';

export function nextAct(order: QueueOrder): NextAct {
  if (!order.needs_me || order.payment_reverted) return 'open';
  if (order.status === 'pending_quote') return 'quote';
  if (isWorkspace({ order })) return order.status === 'in_progress' ? 'answer' : 'open';
  return order.status === 'paid' ? 'start' : 'deliver';
}

export const actWords: Readonly<Record<NextAct, string>> = {
  quote: 'Give a price',
  start: 'Start',
  deliver: 'Deliver',
  answer: 'Answer',
  open: 'Open',
};

/** The state from the seller's side, where the usual label addresses the buyer. */
export function sellersWords(order: QueueOrder): string | undefined {
  if (order.payment_reverted) return 'Standing still: payment taken back';
  if (order.overdue && order.status === 'disputed') return 'Overdue, in dispute';
  if (order.status === 'quoted') return 'Price given, not paid';
  if (order.status === 'delivered') return 'In review, buyer’s clock';
  return order.status === 'revision_requested' ? `Revision asked, ${roundWords(order, order.revision_count)}` : undefined;
}

/** The consequence if the seller does nothing. */
export function silenceCost(order: QueueOrder, format: SentenceParts): string {
  if (order.payment_reverted) return 'Nothing can be done until the payment is there again.';
  const part = format.amount(yourPart(order));
  switch (order.status) {
    case 'pending_quote':
      return `No clock runs. ${order.client_name} waits for your price and pays nothing before.`;
    case 'quoted':
    case 'accepted':
      return `No clock runs. ${order.client_name} has not paid.`;
    case 'paid':
    case 'in_progress':
      if (order.workspace_expires_at !== null)
        return `The workspace ends on ${format.time(order.workspace_expires_at)}, then ${orderDurations.reviewHours} hours of review begin.`;
      if (order.overdue)
        return `Overdue: it counts against you until you deliver. After ${instantPayoutRule.overdueOrders} within ${instantPayoutRule.withinDays} days your next hires are held until approval.`;
      if (order.settlement === 'instant') return `You were paid ${part} at hire and owe the work.`;
      return order.delivery_deadline === null
        ? `${part} is held for you.`
        : `Nothing delivered by ${format.time(order.delivery_deadline)}: cancelled, and you lose ${part}.`;
    case 'revision_requested':
      return order.revision_deadline === null
        ? 'The buyer waits for a revision.'
        : `Nothing delivered by ${format.time(order.revision_deadline)}: the order goes to dispute.`;
    case 'delivered':
      return order.review_deadline === null
        ? 'The buyer checks the work.'
        : `If the buyer says nothing, ${part} is released to you on ${format.time(order.review_deadline)}.`;
    case 'disputed':
      if (order.settlement === 'instant') return `You were paid ${part} at hire. An operator rules.`;
      return `${part} stays held until an operator rules.`;
    case 'completed':
      return `${part} released.`;
    case 'cancelled':
      return order.paid_at === null ? 'Nothing was paid.' : 'The money went back to the buyer.';
  }
}
