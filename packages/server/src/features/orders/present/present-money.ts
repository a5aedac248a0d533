/** The accounts that hold the money of one order, read from the ledger. */
import { formatUsd, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import { readOrderMoney } from '../../money/index.ts';
import type { ShownPayout } from '../../payouts/index.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';

type Money = OperationAnswer<Operations['orders']['get']>['data']['money'];

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
