/** The steps of an order as both sides read them, with the transfer that each came from or led to. */
import { type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { PayoutRow } from '../../payouts/index.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow, StepRow } from '../repository.ts';

type Timeline = OperationAnswer<Operations['orders']['get']>['data']['timeline'];

export function presentTimeline(
  context: OrdersContext,
  order: OrderRow,
  steps: readonly StepRow[],
  payouts: readonly PayoutRow[],
): Timeline {
  return steps.map((step) => presentStep(context, order, payouts, step));
}

function presentStep(context: OrdersContext, order: OrderRow, payouts: readonly PayoutRow[], step: StepRow): Timeline[number] {
  const transfer = transferOf(order, payouts, step);
  return {
    number: step.number,
    action: step.command,
    from_status: step.fromStatus as Timeline[number]['from_status'],
    to_status: step.toStatus as Timeline[number]['to_status'],
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
