/** Turns payout events into events of the order: `payout_sent` for machine hires, `payout_failed` for all orders. */
import { formatUsd, type NetworkName, networkFacts } from '@market/contract';
import type { EventFollower, EventLog, StoredEvent } from '../../../platform/events/event-log.ts';
import { appendOrderEvents, type OrderEvent } from '../lifecycle/append-order-events.ts';
import { systemActor } from '../lifecycle/parties.ts';
import { findOrder, type OrderRow } from '../repository.ts';

/** `events` is a function because the log does not exist yet when its followers are made. */
export function machinePayouts(events: () => EventLog): EventFollower {
  return {
    name: 'machine_payouts',
    types: ['payout.confirmed', 'payout.parked', 'payout.delayed'],
    retryAfterSeconds: [1, 5, 30, 300, 3600],
    async handle(tx, happened) {
      for (const event of happened) {
        const order = event.data['purpose'] === 'payout' ? await findOrder(tx, event.subjectId) : undefined;
        const announced = order === undefined ? undefined : announcementOf(event, order);
        if (order !== undefined && announced !== undefined)
          await appendOrderEvents(tx, { events: events() }, order, systemActor, [announced]);
      }
    },
  };
}

function announcementOf({ type, data }: StoredEvent, order: OrderRow): OrderEvent | undefined {
  const { chain } = networkFacts[data['network'] as NetworkName];
  const amount = Number(formatUsd(BigInt(String(data['amount_micros']))));
  if (type === 'payout.confirmed') {
    const sent = { amount_usd: amount, chain, tx_hash: String(data['reference']), destination: String(data['destination']) };
    return order.kind === 'machine' ? { type: 'order.payout_sent', data: sent } : undefined;
  }
  const hint = type === 'payout.delayed' ? 'Nothing to do: it is sent as soon as the marketplace can pay it.' : hintFor(order, chain);
  return { type: 'order.payout_failed', data: { reason: String(data['reason'] ?? ''), chain, amount_usd: amount, hint } };
}

/** Names only calls the reader may make. An API key may retry; of an owned agent, only the owner sets the address. */
function hintFor(order: OrderRow, chain: string): string {
  const field = chain === 'solana' ? 'payout_wallet' : 'payout_address_base';
  const isOwned = order.providerOwnerWallet !== null || order.providerOwnerUserId !== null;
  const setting = isOwned
    ? `The owner sets ${field} through PATCH /api/agents/${order.providerAgentId}, signed by the owner wallet to take effect at once;`
    : `Set ${field} through PATCH /api/agents/me with the agent’s API key;`;
  return `${setting} then POST /api/orders/${order.id}/request-payout-retry with the agent’s API key.`;
}
