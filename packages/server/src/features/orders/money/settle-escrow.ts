/** Moves the money of an order. An order's escrow is shared out once, whatever ends the order: `settlements` has the order as its key. */
import { feeOf, MarketError, type StepMoney, splitRest } from '@market/contract';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { agentPayable, escrow, platformFee, postLast, refundPayable } from '../../ledger/index.ts';
import { claimPayment, type PaidBy, type VerifiedPayment } from '../../payments/index.ts';
import { queueAgentPayout, queueFirstPayout } from '../../payouts/index.ts';
import { isContestable } from '../lifecycle/contestable.ts';
import type { OrdersContext, StepContext } from '../orders-context.ts';
import { findPaidAgent, insertSettlement, type OrderRow, type Payee } from '../repository.ts';

interface Shares {
  readonly outcome: 'payout' | 'refund' | 'split';
  readonly agentMicros: bigint;
  readonly feeMicros: bigint;
  readonly refundMicros: bigint;
}

/** The details that a step adds to its kind of money movement. */
export interface MoneyDetails {
  /** For `hold`: the transfer that pays the order. */
  readonly payment?: VerifiedPayment;
  /** For `split`: the buyer's part. */
  readonly refundMicros?: bigint;
  /** For `release`: the destination of the provider's money. Read from the database if absent. */
  readonly payee?: Payee;
}

/** Claims the transfer that pays an order and puts it into escrow. Only `takeStep` calls it, before the step. */
export async function holdPayment(tx: Tx, context: OrdersContext, order: OrderRow, { payment }: MoneyDetails): Promise<void> {
  if (payment === undefined) throw new Error(`order ${order.id} is paid without a payment`);
  if (payment.kind === 'new') await claimPayment(tx, context, payment, escrow(payment.network, order.id));
}

/** Shares out what an order holds. Only `takeStep` calls it, after everything else the step writes. */
export async function settleEscrow(
  tx: Tx,
  context: StepContext,
  order: OrderRow,
  money: Exclude<StepMoney, 'hold'>,
  { refundMicros, payee }: MoneyDetails,
): Promise<void> {
  switch (money) {
    case 'release':
      return await releaseEscrow(tx, context, order, payee);
    case 'refund':
      return await refundEscrow(tx, context, order);
    case 'split':
      if (refundMicros === undefined) throw new Error(`order ${order.id} split needs refundMicros`);
      return await splitEscrow(tx, context, order, refundMicros);
    case 'reassign': // The payments feature moves it to the payer's other request, after this step.
  }
}

/** Pays the provider and the marketplace. A standard price includes the fee; machines and bounty posters paid it on top. */
export async function releaseEscrow(tx: Tx, context: StepContext, order: OrderRow, payee?: Payee): Promise<void> {
  // Paid out at hire already.
  if (order.settled) return;
  const agentMicros = releasedMicros(order);
  const feeMicros = order.paidMicros - agentMicros;
  await settle(tx, context, order, { outcome: 'payout', agentMicros, feeMicros, refundMicros: 0n }, payee);
}

/** The provider's share when the whole order is released. */
export function releasedMicros(order: OrderRow): bigint {
  const price = agreedPrice(order);
  return order.kind === 'standard' ? order.paidMicros - feeOf(price) : price;
}

/** Gives everything back to the payer, the fee included. */
async function refundEscrow(tx: Tx, context: StepContext, order: OrderRow): Promise<void> {
  // A quote may be 0 USDC.
  if (order.paidMicros === 0n) return;
  await settle(tx, context, order, { outcome: 'refund', agentMicros: 0n, feeMicros: 0n, refundMicros: order.paidMicros });
}

/** Gives the buyer `refundMicros`. Provider and marketplace share the rest as they would share the whole. */
async function splitEscrow(tx: Tx, context: StepContext, order: OrderRow, refundMicros: bigint): Promise<void> {
  const shares = splitRest({ paidMicros: order.paidMicros, priceMicros: agreedPrice(order) }, refundMicros);
  await settle(tx, context, order, { outcome: 'split', ...shares, refundMicros });
}

async function settle(tx: Tx, context: StepContext, order: OrderRow, shares: Shares, payee?: Payee): Promise<void> {
  // Nothing but a refund leaves while the paying wallet can still claim its transfer for another request.
  if (shares.outcome !== 'refund' && isContestable(order)) {
    const waitMs = order.contestableUntil.getTime() - order.now.getTime();
    throw new MarketError('payment_contestable', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }
  const paidBy = paymentOf(order);
  const { network } = paidBy;
  const { agentMicros, feeMicros, refundMicros } = shares;
  await insertSettlement(tx, { orderId: order.id, ...shares });
  postLast(tx, {
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
      paidBy,
      agent: payee ?? (await findPaidAgent(tx, order.providerAgentId)),
      sourceNetwork: network,
      amountMicros: agentMicros,
      from: agentPayable(network, order.providerAgentId),
    });
  }
  if (refundMicros > 0n) {
    if (order.payer === null) throw new Error(`order ${order.id} was paid by nobody`);
    await queueFirstPayout(tx, {
      purpose: 'refund',
      subjectId: order.id,
      paidBy,
      network,
      destination: order.payer,
      amountMicros: refundMicros,
      from: refundPayable(network, order.id),
    });
  }
}

const postingKinds = { payout: 'escrow_released', refund: 'escrow_refunded', split: 'escrow_split' } as const;

function paymentOf({ id, paymentNetwork: network, paymentReference: reference }: OrderRow): PaidBy {
  if (network === null || reference === null) throw new Error(`order ${id} holds no money`);
  return { network, reference };
}

function agreedPrice(order: OrderRow): bigint {
  if (order.priceMicros === null) throw new Error(`order ${order.id} has no price`);
  return order.priceMicros;
}
