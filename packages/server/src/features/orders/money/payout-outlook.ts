/** The state of the payout of a machine's hire. It counts as paid only when its chain says so. */
import { formatUsd, type NetworkName, networkFacts, orderDurations, type PayoutOutlook, toWireTime } from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import { listPayoutsOf, planRoute, type ShownPayout } from '../../payouts/index.ts';
import { isContestable } from '../lifecycle/contestable.ts';
import type { OrdersContext } from '../orders-context.ts';
import { findPaidAgent, type OrderRow } from '../repository.ts';

export async function payoutOutlook(db: Db, context: OrdersContext, order: OrderRow): Promise<PayoutOutlook> {
  const transfers = await listPayoutsOf(db, [order.id]);
  const payout = transfers.find(({ purpose }) => purpose === 'payout');
  return payout === undefined ? await planned(db, context, order) : begun(payout);
}

const words = {
  queued: 'It leaves as soon as the payment is final.',
  contest: 'It is held until the wallet that paid has signed, or can no longer claim its transfer for another request.',
  approval: `It is held until you approve the delivery, or ${orderDurations.reviewHours} hours pass after it.`,
  dispute: 'It is held until the dispute is ruled on.',
  returned: 'The order was cancelled: what was paid goes back to the wallet that paid.',
  waiting: 'It waits in line to be sent.',
  sent: 'It was sent and is not final yet.',
  paid: 'It arrived.',
  failed: 'It could not be sent. The provider can change the address and ask for another attempt.',
} as const;

type Plan = Pick<PayoutOutlook, 'status' | 'held_until' | 'note'>;

/** No transfer exists yet: says why, and where it will go. */
async function planned(db: Db, context: OrdersContext, order: OrderRow): Promise<PayoutOutlook> {
  const network = order.paymentNetwork;
  if (network === null) throw new Error(`order ${order.id} holds no money`);
  const micros = order.priceMicros ?? 0n;
  const plan = planOf(order);
  const nowhere = { network, destination: null };
  const route = plan.status === 'returned' ? nowhere : await routeOf(db, context, order, network, micros);
  return {
    ...plan,
    attempted: false,
    paid: false,
    amount_usd: Number(formatUsd(micros)),
    chain: networkFacts[route.network].chain,
    destination: route.destination,
    tx_hash: null,
  };
}

function planOf(order: OrderRow): Plan {
  if (order.status === 'cancelled') return { status: 'returned', held_until: null, note: words.returned };
  if (order.status === 'disputed') return { status: 'held', held_until: null, note: words.dispute };
  if (isContestable(order)) return { status: 'held', held_until: toWireTime(order.contestableUntil), note: words.contest };
  if (order.settlement !== 'instant') return { status: 'held', held_until: null, note: words.approval };
  return { status: 'queued', held_until: null, note: words.queued };
}

async function routeOf(db: Db, context: OrdersContext, order: OrderRow, network: NetworkName, micros: bigint) {
  const { network: on, destination } = await planRoute(db, context, await findPaidAgent(db, order.providerAgentId), network, micros);
  return { network: on, destination: destination === '' ? null : destination };
}

const states = {
  queued: { status: 'queued', note: words.waiting },
  signed: { status: 'queued', note: words.waiting },
  sent: { status: 'sent', note: words.sent },
  unknown: { status: 'sent', note: words.sent },
  confirmed: { status: 'paid', note: words.paid },
  parked: { status: 'failed', note: words.failed },
  void: { status: 'failed', note: words.failed },
} as const;

function begun(payout: ShownPayout): PayoutOutlook {
  const { status, note } = states[payout.state];
  return {
    status,
    held_until: null,
    note,
    attempted: status !== 'queued',
    paid: status === 'paid',
    amount_usd: Number(formatUsd(payout.amountMicros)),
    chain: networkFacts[payout.network].chain,
    destination: payout.destination === '' ? null : payout.destination,
    tx_hash: payout.reference ?? payout.sentReference,
    ...(status === 'failed' && { error: payout.reason ?? words.failed }),
  };
}
