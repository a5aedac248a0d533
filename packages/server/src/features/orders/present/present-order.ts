/** Orders as their parties see them. Only this file decides what a viewer may not see. */
import { formatUsd, networkFacts, type OperationAnswer, type Operations, type OrderRole, toFlag, toWireTime } from '@market/contract';
import { type Db, readTogether } from '../../../platform/db/database.ts';
import { type PayoutRow, selectPayoutsOf } from '../../payouts/index.ts';
import { nextActionsOf } from '../lifecycle/facts.ts';
import { isOverdue } from '../lifecycle/overdue.ts';
import type { Actor } from '../lifecycle/parties.ts';
import { type Viewer, withheldUntil } from '../lifecycle/withheld.ts';
import type { OrdersContext } from '../orders-context.ts';
import { type DeliverableRow, type OrderRow, selectDeliverables } from '../repository.ts';
import { presentDeliverables } from './present-deliverable.ts';

export type WireOrder = OperationAnswer<Operations['orders']['accept']>['data'];

export async function presentOrder(db: Db, context: OrdersContext, order: OrderRow, viewer: Viewer): Promise<WireOrder> {
  const [presented] = await presentOrders(db, context, [{ order, viewer }]);
  if (presented === undefined) throw new Error('one order gives one record');
  return presented;
}

/** The order as a command answers it, with its actor's next actions. */
export async function presentChanged(
  db: Db,
  context: OrdersContext,
  order: OrderRow,
  { role, isPayer = false }: Actor,
): Promise<WireOrder> {
  const viewer = { role, seesResults: role !== 'buyer' };
  return { ...(await presentOrder(db, context, order, viewer)), next_actions: nextActionsOf(order, [role], isPayer) };
}

/** An order that was just placed has neither payouts nor deliverables. */
export async function presentNewOrder(context: OrdersContext, order: OrderRow, role: OrderRole): Promise<WireOrder> {
  return { ...(await toWire(context, order, { role, seesResults: false }, [], [])), next_actions: nextActionsOf(order, [role], false) };
}

export async function presentOrders(
  db: Db,
  context: OrdersContext,
  seen: readonly { readonly order: OrderRow; readonly viewer: Viewer }[],
): Promise<WireOrder[]> {
  const ids = seen.map(({ order }) => order.id);
  if (ids.length === 0) return [];
  const [payouts, deliverables] = await readTogether(db, selectPayoutsOf(db, ids), selectDeliverables(db, ids));
  const payoutsOf = Map.groupBy(payouts, ({ subjectId }) => subjectId);
  const deliverablesOf = Map.groupBy(deliverables, ({ orderId }) => orderId);
  return await Promise.all(
    seen.map(
      async ({ order, viewer }) => await toWire(context, order, viewer, payoutsOf.get(order.id) ?? [], deliverablesOf.get(order.id) ?? []),
    ),
  );
}

async function toWire(
  context: OrdersContext,
  order: OrderRow,
  viewer: Viewer,
  payouts: readonly PayoutRow[],
  deliverables: readonly DeliverableRow[],
): Promise<WireOrder> {
  const current = deliverables.find(({ status }) => status === 'completed');
  const [shown] = current === undefined ? [] : await presentDeliverables(context, order, viewer, [current]);
  const confirmed = payouts.find(
    ({ state, purpose }) => state === 'confirmed' && purpose === (order.status === 'cancelled' ? 'refund' : 'payout'),
  );
  return {
    id: order.id,
    order_id: order.id,
    kind: order.kind,
    service_id: order.serviceId,
    bounty_id: order.bountyId,
    provider_agent_id: order.providerAgentId,
    provider_name: order.providerName,
    provider_slug: order.providerSlug,
    client_agent_id: order.clientAgentId,
    client_wallet: order.clientWallet,
    user_id: viewer.role === 'provider' ? null : order.userId,
    client_type: order.kind === 'machine' ? 'agent_x402' : 'wallet',
    client_name: clientName(order),
    service_title: order.serviceTitle,
    category: order.category as WireOrder['category'],
    price_type: order.priceType,
    brief: order.brief,
    reference_urls: order.referenceUrls,
    reference_images: order.referenceImages.map(context.files.openable),
    requirement_answers: order.requirementAnswers as WireOrder['requirement_answers'],
    status: order.status,
    quoted_price_usd: usd(order.priceMicros),
    platform_fee_usd: usd(order.feeMicros),
    settlement: order.settlement,
    payment_method: order.paymentMethod,
    payment_chain: order.paymentNetwork === null ? null : networkFacts[order.paymentNetwork].chain,
    payment_network: order.paymentNetwork,
    payer_address: order.payer,
    escrow_tx_hash: order.paymentReference,
    payout_tx_hash: confirmed?.reference ?? null,
    payment_reverted: order.paymentReverted,
    contestable_until: time(order.contestableUntil),
    withheld_until: time(withheldUntil(order, viewer)),
    revision_count: order.revisionCount,
    max_revisions: order.maxRevisions,
    turnaround_hours: order.turnaroundHours,
    quota_total: order.quotaTotal,
    quota_used: order.quotaUsed,
    workspace_expires_at: order.workspaceEndsAt?.toISOString() ?? null,
    deliverable_url: shown?.deliverable_url ?? null,
    deliverable_media_type: shown?.deliverable_media_type ?? null,
    deliverable_preview_url: shown?.preview_url ?? null,
    due_at: time(order.dueAt),
    delivery_deadline: time(order.deliveryDeadline),
    overdue: isOverdue(order),
    overdue_since: time(order.overdueSince),
    delivered_at: time(order.deliveredAt),
    review_deadline: time(order.reviewDeadline),
    revision_deadline: time(order.revisionDeadline),
    paid_at: time(order.paidAt),
    completed_at: time(order.completedAt),
    cancelled_at: time(order.cancelledAt),
    allow_portfolio: toFlag(order.allowPortfolio),
    related_party: toFlag(order.relatedParty),
    created_at: toWireTime(order.createdAt),
    updated_at: toWireTime(order.updatedAt),
  };
}

/** The buyer's public name. It never shows an account id, an e-mail or a whole wallet address. */
export function clientName(order: OrderRow): string {
  const wallet = order.clientWallet ?? order.payer;
  return order.clientAgentName ?? order.clientUserName ?? order.clientProfileName ?? (wallet === null ? 'A buyer' : shortWallet(wallet));
}

export function shortWallet(address: string): string {
  return address.length <= 11 ? address : `${address.slice(0, 4)}...${address.slice(-4)}`;
}

function time(date: Date | null): string | null {
  return date === null ? null : toWireTime(date);
}

function usd(micros: bigint | null): string | null {
  return micros === null ? null : formatUsd(micros);
}
