/**
 * Lost books had ended an order that restored books hold open. What they sent for it is named after its payment, so the order ends as it had
 * ended there, and its payout meets on chain what left.
 */
import { decide, FOUND_RELEASED, type NetworkName } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { endContest, payoutIdFor } from '../../payments/index.ts';
import { hasPayoutFailed } from '../money/payout-failed.ts';
import { releasedMicros } from '../money/settle-escrow.ts';
import type { OrdersContext, StepContext } from '../orders-context.ts';
import { listHeldOrders, lockOrder, type OrderRow } from '../repository.ts';
import { isContestable } from './contestable.ts';
import { factsOf } from './facts.ts';
import { systemActor } from './parties.ts';
import { writeStep } from './take-step.ts';

type Left = 'payout' | 'refund';
type Context = StepContext & Pick<OrdersContext, 'database' | 'disputes' | 'requests'>;

/** What left a treasury, and no payout of these books names. */
export interface FoundOutgoing {
  readonly intentKey: string | null;
  readonly micros: bigint;
}

/** Returns what became of the order, for the operator; undefined when it is of no order that can end by it. */
export type FollowFound = (tx: Tx, found: FoundOutgoing) => Promise<string | undefined>;

export function createFoundFollower(context: Context): FollowFound {
  let names: Promise<ReadonlyMap<string, NamedOrder>> | undefined;
  return async (tx, { intentKey, micros }) => {
    names ??= nameHeldOrders(context.database.db, context.chains);
    const named = intentKey === null ? undefined : (await names).get(intentKey);
    const order = named && (await lockOrder(tx, named.orderId));
    if (named === undefined || order === undefined) return undefined;
    return named.left === 'refund' ? await cancelRefunded(tx, context, order, micros) : await completeReleased(tx, context, order, micros);
  };
}

interface NamedOrder {
  readonly orderId: string;
  readonly left: Left;
}

/** Once per command: orders that are paid later have nothing on chain that is lost. */
async function nameHeldOrders(db: Db, chains: ReadonlyMap<NetworkName, Chain>): Promise<ReadonlyMap<string, NamedOrder>> {
  const names = new Map<string, NamedOrder>();
  for (const { id: subjectId, network, reference } of await listHeldOrders(db))
    for (const left of ['refund', 'payout'] as const) {
      // Before version 0065 of the database the subject gave the name.
      const ids = [payoutIdFor({ purpose: left, subjectId, paidBy: { network, reference } }), payoutIdFor({ purpose: left, subjectId })];
      for (const id of ids) for (const chain of chains.values()) names.set(chain.intentKey(id), { orderId: subjectId, left });
    }
  return names;
}

const REFUNDED = 'The books were restored. The chain shows that the payment had gone back to the wallet that paid.';

/** A part of it went back by a ruling, which nobody knows any more: an operator decides. */
async function cancelRefunded(tx: Tx, context: Context, order: OrderRow, micros: bigint): Promise<string | undefined> {
  const decision = decide({ ...factsOf(order), left: 'refund' }, 'refund', systemActor.role, order.now);
  if (!decision.allowed || micros !== order.paidMicros) return undefined;
  if (order.status === 'disputed') await context.disputes.closeRefunded(tx, order.id);
  const failed = await context.requests.failOpen(tx, order, 'The order was cancelled.');
  await writeStep(tx, context, order, {
    command: 'refund',
    to: decision.to,
    actor: systemActor,
    set: { quotaUsed: order.quotaUsed - failed, cancelledAt: order.now },
    note: REFUNDED,
    events: [{ type: 'order.cancelled', data: { previous_status: order.status, reason: 'refund_found' } }],
  });
  return `Its order ${order.id} is cancelled: it had been refunded.`;
}

/** Paid at hire it stays open, and its timer pays it. */
async function completeReleased(tx: Tx, context: Context, order: OrderRow, micros: bigint): Promise<string | undefined> {
  const decision = decide({ ...factsOf(order), left: 'payout' }, 'auto_release', systemActor.role, order.now);
  if (micros !== releasedMicros(order)) return undefined;
  // In the lost books nobody could contest it any more.
  if (isContestable(order)) await endContest(tx, order.id, order.now);
  if (!decision.allowed || order.settlement === 'instant') return undefined;
  const failed = await context.requests.failOpen(tx, order, 'The order was completed.');
  await writeStep(tx, context, order, {
    command: 'auto_release',
    to: decision.to,
    actor: systemActor,
    set: { quotaUsed: order.quotaUsed - failed, completedAt: order.now },
    note: FOUND_RELEASED,
    events: [{ type: 'order.completed', data: { payout_failed: await hasPayoutFailed(tx, order) } }],
  });
  return `Its order ${order.id} is completed: its provider had been paid.`;
}
