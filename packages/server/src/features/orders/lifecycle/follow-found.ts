/**
 * After a restore, ends orders again that had ended in the lost books. The chain shows how: the transfer found there is named after the
 * order's payment. The order's new payout has the same name, so it meets that transfer and nothing is sent twice.
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

/** A transfer out of a treasury that no payout of these books knows. */
export interface FoundOutgoing {
  readonly intentKey: string | null;
  readonly micros: bigint;
}

/** Returns a sentence about the order for the operator; undefined if this transfer ends no order. */
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

/** Read once per run: an order that is paid later has no lost transfer. */
async function nameHeldOrders(db: Db, chains: ReadonlyMap<NetworkName, Chain>): Promise<ReadonlyMap<string, NamedOrder>> {
  const names = new Map<string, NamedOrder>();
  for (const { id: subjectId, network, reference } of await listHeldOrders(db))
    for (const left of ['refund', 'payout'] as const) {
      // Before migration 0065 the subject alone named the intent.
      const ids = [payoutIdFor({ purpose: left, subjectId, paidBy: { network, reference } }), payoutIdFor({ purpose: left, subjectId })];
      for (const id of ids) for (const chain of chains.values()) names.set(chain.intentKey(id), { orderId: subjectId, left });
    }
  return names;
}

const REFUNDED = 'The books were restored. The chain shows that the payment had gone back to the wallet that paid.';

/** A smaller amount means that a lost ruling split the money: an operator decides. */
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

/** An order paid at hire stays open; its timer makes the payout. */
async function completeReleased(tx: Tx, context: Context, order: OrderRow, micros: bigint): Promise<string | undefined> {
  const decision = decide({ ...factsOf(order), left: 'payout' }, 'auto_release', systemActor.role, order.now);
  if (micros !== releasedMicros(order)) return undefined;
  // The lost books had paid the provider, so the time to contest was over there.
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
