/** Shares out what an order holds: to the provider, back to the buyer, or between them. Once, whatever the way there. */
import { feeOf, MarketError, type NetworkName } from '@market/contract';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { agentPayable, escrow, platformFee, post, refundPayable } from '../../ledger/index.ts';
import { queueAgentPayout, queuePayout } from '../../payouts/index.ts';
import { isContestable } from '../lifecycle/contestable.ts';
import type { OrdersContext } from '../orders-context.ts';
import { findPaidAgent, insertSettlement, type OrderRow } from '../repository.ts';

interface Shares {
  readonly outcome: 'payout' | 'refund' | 'split';
  readonly agentMicros: bigint;
  readonly feeMicros: bigint;
  readonly refundMicros: bigint;
}

/** All of it to the provider and the marketplace. A standard price holds the fee; machines and bounty posters paid it on top. */
export async function releaseEscrow(tx: Tx, context: OrdersContext, order: OrderRow): Promise<void> {
  // A machine's hire is paid out as soon as its payment is final, which may be before or after the delivery.
  if (order.settled) return;
  const price = agreedPrice(order);
  const feeMicros = order.kind === 'standard' ? feeOf(price) : order.paidMicros - price;
  await settle(tx, context, order, { outcome: 'payout', agentMicros: order.paidMicros - feeMicros, feeMicros, refundMicros: 0n });
}

/** Everything back to who paid it, the fee included. Nothing happens for an order that was never paid. */
export async function refundEscrow(tx: Tx, context: OrdersContext, order: OrderRow): Promise<void> {
  if (order.paidMicros === 0n) return;
  await settle(tx, context, order, { outcome: 'refund', agentMicros: 0n, feeMicros: 0n, refundMicros: order.paidMicros });
}

/** A ruling between the two: the buyer gets `refundMicros`, the fee is taken from the rest only. */
export async function splitEscrow(tx: Tx, context: OrdersContext, order: OrderRow, refundMicros: bigint): Promise<void> {
  const rest = order.paidMicros - refundMicros;
  const feeMicros = feeOf(rest);
  await settle(tx, context, order, { outcome: 'split', agentMicros: rest - feeMicros, feeMicros, refundMicros });
}

async function settle(tx: Tx, context: OrdersContext, order: OrderRow, shares: Shares): Promise<void> {
  // A refund goes to the wallet that paid, whoever that is; nothing else leaves while that wallet can claim the payment.
  if (shares.outcome !== 'refund' && isContestable(order)) {
    const waitMs = order.contestableUntil.getTime() - order.now.getTime();
    throw new MarketError('payment_contestable', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }
  const network = paymentNetwork(order);
  const { agentMicros, feeMicros, refundMicros } = shares;
  const agent = await findPaidAgent(tx, order.providerAgentId);
  await insertSettlement(tx, { orderId: order.id, ...shares });
  await post(tx, {
    kind: postingKinds[shares.outcome],
    subjectId: order.id,
    idempotencyKey: `settle:${order.id}`,
    entries: [
      { account: escrow(network, order.id), micros: -order.paidMicros },
      { account: agentPayable(network, order.providerAgentId), micros: agentMicros },
      { account: platformFee(network), micros: feeMicros },
      { account: refundPayable(network, order.id), micros: refundMicros },
    ],
  });
  reachCrashPoint('settle.after_post');
  if (agentMicros > 0n) {
    await queueAgentPayout(tx, context, {
      subjectId: order.id,
      agent,
      sourceNetwork: network,
      amountMicros: agentMicros,
      from: agentPayable(network, order.providerAgentId),
    });
  }
  if (refundMicros > 0n) {
    if (order.payer === null) throw new Error(`order ${order.id} was paid by nobody`);
    await queuePayout(tx, context, {
      purpose: 'refund',
      subjectId: order.id,
      network,
      destination: order.payer,
      amountMicros: refundMicros,
      from: refundPayable(network, order.id),
    });
  }
}

const postingKinds = { payout: 'escrow_released', refund: 'escrow_refunded', split: 'escrow_split' } as const;

function paymentNetwork(order: OrderRow): NetworkName {
  if (order.paymentNetwork === null) throw new Error(`order ${order.id} holds no money`);
  return order.paymentNetwork;
}

function agreedPrice(order: OrderRow): bigint {
  if (order.priceMicros === null) throw new Error(`order ${order.id} has no price`);
  return order.priceMicros;
}
