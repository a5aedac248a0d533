/** The viewer's role, whose turn it is, and the start of the clock. Pure: shared by all parts of the page. */
import { type OrderCommand, type OrderStatus, isWorkspace as worksByRequests } from '@market/contract';
import type { Answer } from '../../../data/answers.ts';
import type { ShownStatus } from '../../../words.ts';
import { stageOf, stageWords } from './money/transfer-words.ts';

export type OrderView = Answer<'orders.get'>['data'];
export type WireOrder = OrderView['order'];
export type Deliverable = OrderView['deliverables'][number];
export type Money = OrderView['money'];

const buyersTurn: ReadonlySet<OrderStatus> = new Set(['quoted', 'accepted', 'delivered']);
const providersTurn: ReadonlySet<OrderStatus> = new Set(['pending_quote', 'paid', 'in_progress', 'revision_requested']);

export function isWorkspace({ order }: Pick<OrderView, 'order'>): boolean {
  return worksByRequests({ priceType: order.price_type, quotaTotal: order.quota_total });
}

/** Number of requests without an answer. */
export function countOpenRequests({ deliverables }: Pick<OrderView, 'deliverables'>): number {
  return deliverables.filter(({ status }) => status === 'pending' || status === 'generating').length;
}

/** True if the viewer must act next. A workspace waits for its provider only while a request is open. */
export function isYourMove(view: OrderView): boolean {
  const { order, viewer_role } = view;
  if (order.payment_reverted) return false;
  if (viewer_role === 'buyer') return buyersTurn.has(order.status);
  if (viewer_role === 'admin') return order.status === 'disputed';
  if (order.status === 'in_progress' && isWorkspace(view)) return countOpenRequests(view) > 0;
  return providersTurn.has(order.status);
}

/** Overdue comes first. Refunded only once the money has arrived; until then the order is cancelled and its refund is on its way. */
export function shownStatus({ order, money }: Pick<OrderView, 'order' | 'money'>): ShownStatus {
  if (order.overdue) return 'overdue';
  return order.status === 'cancelled' && money.state === 'refunded' && stageOf(money.refund) === 'arrived' ? 'refunded' : order.status;
}

/** A more precise state where the usual label says too little. */
export function statusDetail({ order, money }: Pick<OrderView, 'order' | 'money'>): string | undefined {
  if (order.payment_reverted) return 'Standing still: payment taken back';
  if (order.overdue && order.status === 'disputed') return 'Overdue, in dispute';
  if (order.status === 'delivered' && order.overdue_since !== null) return 'Delivered late, in review';
  if (order.status === 'revision_requested') return `Revision asked, ${roundWords(order, order.revision_count)}`;
  if (order.status === 'completed') return `Completed, ${completedDetail(money)}`;
  const refund = stageOf(money.refund);
  if (order.status === 'cancelled' && money.state === 'refunded' && refund !== 'arrived') return `Cancelled, refund ${stageWords[refund]}`;
  return undefined;
}

function completedDetail({ state, payout }: Money): string {
  if (state === 'split') return 'split';
  if (state === 'not_paid' || state === 'reverted') return 'released';
  const stage = stageOf(payout);
  return stage === 'arrived' ? 'released' : `payout ${stageWords[stage]}`;
}

/** Words like `1 of 2`; beyond the agreed number the provider has granted a round. */
export function roundWords({ max_revisions }: Pick<WireOrder, 'max_revisions'>, round: number): string {
  return round > max_revisions ? 'an extra round' : `${round} of ${max_revisions}`;
}

/** True for a quote that the buyer must agree to before paying. */
export function mustAgree(view: Pick<OrderView, 'allowed_actions' | 'viewer_role'>): boolean {
  return view.viewer_role === 'buyer' && isAllowed(view, 'accept') && !isAllowed(view, 'pay');
}

export function isAllowed({ allowed_actions }: Pick<OrderView, 'allowed_actions'>, action: OrderCommand): boolean {
  return allowed_actions.includes(action);
}

/** The start of the period that `clock` counts down. */
export function clockStart({ clock, order, timeline }: Pick<OrderView, 'clock' | 'order' | 'timeline'>): string {
  const last = (action: string) => timeline.findLast((entry) => entry.action === action)?.at;
  if (clock?.action === 'auto_release') return order.delivered_at ?? order.updated_at;
  if (clock?.action === 'escalate') return last('revision') ?? order.updated_at;
  return order.paid_at ?? order.created_at;
}

/** The current delivery, and the deliveries it replaced; without requests of a workspace. */
export function splitDeliveries(deliverables: readonly Deliverable[]): {
  readonly current: readonly Deliverable[];
  readonly earlier: readonly Deliverable[];
} {
  const delivered = deliverables.filter(
    ({ deliverable_url, content, is_preview }) => deliverable_url !== null || content !== null || is_preview,
  );
  return {
    current: delivered.filter(({ status }) => status === 'completed'),
    earlier: delivered.filter(({ status }) => status === 'superseded'),
  };
}
