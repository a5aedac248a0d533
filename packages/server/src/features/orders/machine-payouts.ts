/** A machine's provider is paid at hire: when that transfer is final, or stuck, the agent hears of it as an event of the order. */
import { formatUsd, type NetworkName, networkFacts } from '@market/contract';
import type { Database } from '../../platform/db/database.ts';
import type { EventLog, EventSubscriber, StoredEvent } from '../../platform/events/event-log.ts';
import { theMarket } from './parties.ts';
import { findOrder } from './repository.ts';
import { type OrderEvent, tellOf } from './take-step.ts';

/** `events` is asked for late: the log is made of its subscribers. */
export function machinePayouts({ transaction }: Database, events: () => EventLog): EventSubscriber {
  return {
    name: 'machine_payouts',
    types: ['payout.confirmed', 'payout.parked'],
    retryAfterSeconds: [1, 5, 30, 300, 3600],
    async handle(event, attempt) {
      await transaction(async (tx) => {
        const order = event.data['purpose'] === 'payout' ? await findOrder(tx, event.subjectId) : undefined;
        if (order?.kind === 'machine') await tellOf(tx, { events: events() }, order, theMarket, [toldOf(event)]);
        await attempt.complete(tx);
      });
    },
  };
}

function toldOf({ type, data }: StoredEvent): OrderEvent {
  const { chain } = networkFacts[data['network'] as NetworkName];
  const amount = Number(formatUsd(BigInt(String(data['amount_micros']))));
  if (type === 'payout.confirmed') {
    const sent = { amount_usd: amount, chain, tx_hash: String(data['reference']), destination: String(data['destination']) };
    return { type: 'order.payout_sent', data: sent };
  }
  const field = chain === 'solana' ? 'payout_wallet' : 'payout_address_base';
  const hint = `Set ${field} through PATCH /api/agents/me, then POST /api/orders/{id}/request-payout-retry.`;
  return { type: 'order.payout_failed', data: { reason: String(data['reason'] ?? ''), chain, amount_usd: amount, hint } };
}
