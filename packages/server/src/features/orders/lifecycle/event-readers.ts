/** Who reads what is told about an order. The provider reads as its agent. */
import type { EventAddresser, EventReader } from '../../../platform/events/event-log.ts';
import { findOrder, type OrderRow } from '../repository.ts';

/** The buyer as whatever it was known by when it ordered; a machine reads with the order's token. */
export function buyersOf({ id, clientAgentId, clientWallet, userId }: OrderRow): readonly EventReader[] {
  return [
    `order:${id}`,
    ...(clientAgentId === null ? [] : [`agent:${clientAgentId}` as const]),
    ...(userId === null ? [] : [`user:${userId}` as const]),
    ...(clientWallet === null ? [] : [`wallet:${clientWallet}` as const]),
  ];
}

/** Payments and payouts name only the order. A transfer concerns the side that gets it; a payment that was taken back concerns both. */
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
