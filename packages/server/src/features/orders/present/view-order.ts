/** Everything about one order for one viewer. */
import {
  type ActionOffer,
  formatUsd,
  networkFacts,
  type OperationAnswer,
  type Operations,
  type OrderRole,
  offeredActions,
  orderWeight,
  takenBackHint,
  toWireTime,
  withheldHint,
} from '@market/contract';
import { listPayoutsOf } from '../../payouts/index.ts';
import { factsOf, nextActionsOf } from '../lifecycle/facts.ts';
import { isWithheld, type Viewer, withheldUntil } from '../lifecycle/withheld.ts';
import { orderReference } from '../money/order-reference.ts';
import type { OrdersContext } from '../orders-context.ts';
import { findReview, listDeliverables, listSteps, type OrderRow, unreadMessages } from '../repository.ts';
import { nextAutomaticStep } from './next-automatic-step.ts';
import { presentDeliverables } from './present-deliverable.ts';
import { presentMoney } from './present-money.ts';
import { presentOrder } from './present-order.ts';
import { presentReview } from './present-review.ts';
import { presentTimeline } from './present-timeline.ts';

export type OrderView = OperationAnswer<Operations['orders']['get']>['data'];

const viewerRoles = { buyer: 'buyer', provider: 'seller', admin: 'admin', system: 'admin' } as const;

export interface ActingViewer {
  /** The roles in which the viewer may act; a token that only reads gives none. */
  readonly acting: readonly OrderRole[];
  /** The viewer showed a credential of the wallet that paid. */
  readonly isPayer: boolean;
  readonly viewer: Viewer;
}

export async function viewOrder(
  context: OrdersContext,
  order: OrderRow,
  roles: readonly [OrderRole, ...OrderRole[]],
  { acting, isPayer, viewer }: ActingViewer,
): Promise<OrderView> {
  const { db } = context.database;
  const { role } = viewer;
  const [steps, deliverables, dispute, review, payouts] = await Promise.all([
    listSteps(db, order.id),
    listDeliverables(db, [order.id]),
    context.disputes.show(db, order.id),
    findReview(db, order.id),
    listPayoutsOf(db, [order.id]),
  ]);
  const offers = acting.length > 0 ? offersTo(order, acting) : offersTo(order, roles).map(closedToReaders);
  return {
    order: await presentOrder(db, context, order, viewer),
    deliverables: await presentDeliverables(context, order, viewer, deliverables),
    ...presentWithheld(order, viewer),
    review: review === undefined ? null : presentReview(review, context.explorerUrl),
    can_publish_review: review !== undefined && acting.includes('buyer') && isPublishable(order) && context.publishesReviews,
    dispute,
    viewer_role: viewerRoles[role],
    allowed_actions: offers.filter(({ allowed }) => allowed).map(({ action }) => action),
    unavailable_actions: offers.flatMap(({ action, reason }) => (reason === null ? [] : [{ action, reason }])),
    next_actions: nextActionsOf(order, acting, isPayer),
    clock: nextAutomaticStep(order),
    timeline: presentTimeline(context, order, steps, payouts),
    money: await presentMoney(db, context, order, payouts),
    payment_options: paymentOptions(context, order),
    unread_messages: role === 'admin' ? 0 : await unreadMessages(db, order.id, role === 'buyer' ? 'client' : 'agent'),
  };
}

function presentWithheld(order: OrderRow, viewer: Viewer): Pick<OrderView, 'withheld_until' | 'withheld_hint'> {
  const until = withheldUntil(order, viewer);
  if (until === null) return { withheld_until: null, withheld_hint: isWithheld(order, viewer) ? takenBackHint : null };
  const at = toWireTime(until);
  return { withheld_until: at, withheld_hint: withheldHint(order.payer ?? 'the payer', `${at} UTC`) };
}

/** An action is allowed if any of the viewer's roles allows it. */
function offersTo(order: OrderRow, roles: readonly OrderRole[]): readonly ActionOffer[] {
  const offers = roles.flatMap((role) => offeredActions(factsOf(order), role, order.now));
  const best = new Map<string, ActionOffer>();
  for (const offer of offers) if (best.get(offer.action)?.allowed !== true) best.set(offer.action, offer);
  return [...best.values()];
}

function closedToReaders({ action, allowed, reason }: ActionOffer): ActionOffer {
  return {
    action,
    allowed: false,
    reason: allowed
      ? 'Your token only reads this order. Sign with the wallet that paid, or send buyer_token of the hire as bearer.'
      : reason,
  };
}

function paymentOptions(context: OrdersContext, order: OrderRow): OrderView['payment_options'] {
  if ((order.status !== 'quoted' && order.status !== 'accepted') || order.priceMicros === null) return [];
  const amount = order.priceMicros;
  const { text, expiresAt } = orderReference(context, order);
  return [...context.chains.values()].map(({ network, kind, treasury, usdcAddress }) => ({
    network,
    chain: networkFacts[network].chain,
    pay_to: treasury,
    usdc_address: usdcAddress,
    amount_usd: formatUsd(amount),
    amount_micros: String(amount),
    reference: {
      text,
      carried_as: kind === 'solana' ? ('memo' as const) : ('calldata_suffix' as const),
      expires_at: toWireTime(expiresAt),
    },
  }));
}

/** A registry gets no reviews of orders without weight. */
function isPublishable({ providerOnchainId, priceMicros }: OrderRow): boolean {
  return providerOnchainId !== null && orderWeight(priceMicros ?? 0n) > 0;
}
