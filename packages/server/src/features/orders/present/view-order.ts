/** Everything about one order for one viewer. */
import {
  type ActionOffer,
  formatUsd,
  networkFacts,
  type OperationAnswer,
  type Operations,
  type OrderRole,
  offeredActions,
  toWireTime,
} from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import { readOrderMoney } from '../../money/index.ts';
import { listPayoutsOf, type PayoutRow, type ShownPayout } from '../../payouts/index.ts';
import { factsOf } from '../lifecycle/facts.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentDispute } from '../present-dispute.ts';
import { findLatestDispute, findReview, listDeliverables, listSteps, type OrderRow, type StepRow, unreadMessages } from '../repository.ts';
import { nextByItself } from './next-automatic-step.ts';
import { presentDeliverables } from './present-deliverable.ts';
import { presentOrder } from './present-order.ts';
import { presentReview } from './present-review.ts';

export type OrderView = OperationAnswer<Operations['orders']['get']>['data'];
type Money = OrderView['money'];

const viewerRoles = { buyer: 'buyer', provider: 'seller', admin: 'admin', system: 'admin' } as const;

/** `acting`: the roles in which the viewer may act; a token that only reads gives none. */
export async function viewOrder(
  context: OrdersContext,
  order: OrderRow,
  roles: readonly [OrderRole, ...OrderRole[]],
  acting: readonly OrderRole[],
): Promise<OrderView> {
  const { db } = context.database;
  const [viewer] = roles;
  const [steps, deliverables, dispute, review, payouts] = await Promise.all([
    listSteps(db, order.id),
    listDeliverables(db, [order.id]),
    findLatestDispute(db, order.id),
    findReview(db, order.id),
    listPayoutsOf(db, [order.id]),
  ]);
  const offers = acting.length > 0 ? offersTo(order, acting) : offersTo(order, roles).map(closedToReaders);
  return {
    order: await presentOrder(db, context, order, viewer),
    deliverables: await presentDeliverables(context, order, viewer, deliverables),
    review: review === undefined ? null : presentReview(review),
    dispute: dispute === undefined ? null : presentDispute(dispute),
    viewer_role: viewerRoles[viewer],
    allowed_actions: offers.filter(({ allowed }) => allowed).map(({ action }) => action),
    unavailable_actions: offers.flatMap(({ action, reason }) => (reason === null ? [] : [{ action, reason }])),
    clock: nextByItself(order),
    timeline: steps.map((step) => presentStep(context, order, payouts, step)),
    money: await presentMoney(db, context, order, payouts),
    payment_options: paymentOptions(context, order),
    unread_messages: viewer === 'admin' ? 0 : await unreadMessages(db, order.id, viewer === 'buyer' ? 'client' : 'agent'),
  };
}

/** What any of the viewer's roles allows counts as allowed. */
function offersTo(order: OrderRow, roles: readonly OrderRole[]): readonly ActionOffer[] {
  const offers = roles.flatMap((role) => offeredActions(factsOf(order), role, order.now));
  const best = new Map<string, ActionOffer>();
  for (const offer of offers) if (best.get(offer.action)?.allowed !== true) best.set(offer.action, offer);
  return [...best.values()];
}

function closedToReaders({ action, allowed, reason }: ActionOffer): ActionOffer {
  return { action, allowed: false, reason: allowed ? 'Your token only reads this order. Sign with the wallet that paid.' : reason };
}

function presentStep(context: OrdersContext, order: OrderRow, payouts: readonly PayoutRow[], step: StepRow): OrderView['timeline'][number] {
  const transfer = transferOf(order, payouts, step);
  return {
    number: step.number,
    action: step.command,
    from_status: step.fromStatus as OrderView['timeline'][number]['from_status'],
    to_status: step.toStatus as OrderView['timeline'][number]['to_status'],
    by: step.actorRole,
    note: step.note,
    at: toWireTime(step.at),
    tx_hash: transfer?.reference ?? null,
    network: transfer?.network ?? null,
    explorer_url: transfer === undefined ? null : context.explorerUrl(transfer.network, transfer.reference),
  };
}

/** The transfer a step came from or led to: the payment, the payout, the refund. */
function transferOf(order: OrderRow, payouts: readonly PayoutRow[], step: StepRow) {
  if (step.command === 'pay' && order.paymentNetwork !== null && order.paymentReference !== null) {
    return { network: order.paymentNetwork, reference: order.paymentReference };
  }
  const purpose = step.toStatus === 'completed' ? 'payout' : step.toStatus === 'cancelled' ? 'refund' : undefined;
  const payout = payouts.find((candidate) => candidate.purpose === purpose);
  return payout === undefined || payout.reference === null ? undefined : { network: payout.network, reference: payout.reference };
}

export async function presentMoney(db: Db, context: OrdersContext, order: OrderRow, payouts: readonly ShownPayout[]): Promise<Money> {
  const books = await readOrderMoney(db, order.id);
  const payout = payouts.find(({ purpose }) => purpose === 'payout');
  const refund = payouts.find(({ purpose }) => purpose === 'refund');
  const { priceMicros, feeMicros } = order;
  return {
    state: moneyState(order, books.heldMicros, books.releasedMicros, books.refundedMicros),
    network: order.paymentNetwork,
    price_usd: priceMicros === null ? null : formatUsd(priceMicros),
    fee_usd: feeMicros === null ? null : formatUsd(feeMicros),
    provider_usd:
      priceMicros === null || feeMicros === null ? null : formatUsd(order.kind === 'standard' ? priceMicros - feeMicros : priceMicros),
    paid_usd: formatUsd(books.paidMicros),
    held_usd: formatUsd(books.heldMicros),
    released_usd: formatUsd(books.releasedMicros),
    refunded_usd: formatUsd(books.refundedMicros),
    surplus_usd: formatUsd(books.surplusMicros),
    payout:
      payout === undefined ? null : { ...transfer(context, payout), state: payout.state, network: payout.network, reason: payout.reason },
    refund:
      refund === undefined ? null : { ...transfer(context, refund), state: refund.state, network: refund.network, reason: refund.reason },
  };
}

function transfer(context: OrdersContext, payout: ShownPayout) {
  const reference = payout.reference ?? payout.sentReference;
  return {
    destination: payout.destination,
    amount_usd: formatUsd(payout.amountMicros),
    tx_hash: reference,
    explorer_url: reference === null ? null : context.explorerUrl(payout.network, reference),
    updated_at: toWireTime(payout.updatedAt),
  };
}

function moneyState(order: OrderRow, held: bigint, released: bigint, refunded: bigint): Money['state'] {
  if (order.paymentReverted) return 'reverted';
  if (order.settlement === 'instant' && released > 0n) return 'paid_at_hire';
  if (released > 0n) return refunded > 0n ? 'split' : 'released';
  if (refunded > 0n) return 'refunded';
  if (held === 0n) return 'not_paid';
  return order.status === 'delivered' ? 'in_review' : 'held';
}

function paymentOptions({ chains }: OrdersContext, order: OrderRow): OrderView['payment_options'] {
  if ((order.status !== 'quoted' && order.status !== 'accepted') || order.priceMicros === null) return [];
  const amount = order.priceMicros;
  return [...chains.values()].map(({ network, treasury, usdcAddress }) => ({
    network,
    chain: networkFacts[network].chain,
    pay_to: treasury,
    usdc_address: usdcAddress,
    amount_usd: formatUsd(amount),
    amount_micros: String(amount),
  }));
}
