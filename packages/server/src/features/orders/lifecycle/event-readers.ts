/** The readers of the events of an order. The provider reads as its agent. */
import type { EventAddresser, EventReader } from '../../../platform/events/event-log.ts';
import { findOrder, type OrderRow } from '../repository.ts';

/** All identities the buyer had when ordering. A machine reads with the order's token. */
export function buyersOf({ id, clientAgentId, clientWallet, userId }: OrderRow): readonly EventReader[] {
  return [
    `order:${id}`,
    ...(clientAgentId === null ? [] : [`agent:${clientAgentId}` as const]),
    ...(userId === null ? [] : [`user:${userId}` as const]),
    ...(clientWallet === null ? [] : [`wallet:${clientWallet}` as const]),
  ];
}

/** Events of payments and payouts name only the order. The receiving side reads a payout; both sides read a reverted payment. */
export function orderMoneyReaders(): EventAddresser {
  return {
    types: ['payment.reverted', 'payment.restored', 'payout.confirmed', 'payout.parked'],
    async readersOf(tx, { type, subjectId, data }) {
      const order = await findOrder(tx, subjectId);
      if (order === undefined) return [];
      const provider: EventReader = `agent:${order.providerAgentId}`;
      if (type.startsWith('payment.')) return [provider, ...buyersOf(order)];
      return data['purpose'] === 'refund' ? buyersOf(order) : [provider];
    },
  };
}
