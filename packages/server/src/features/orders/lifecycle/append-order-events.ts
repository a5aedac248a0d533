/** Appends events about an order. Their context names both sides, so that readers need not look the order up. */
import type { OrderEventData, OrderEventType } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';
import { buyersOf } from './event-readers.ts';
import type { Actor } from './parties.ts';

export type OrderEvent = { [T in OrderEventType]: { readonly type: T; readonly data: OrderEventData<T> } }[OrderEventType];

export async function appendOrderEvents(
  tx: Tx,
  { events }: Pick<OrdersContext, 'events'>,
  order: OrderRow,
  actor: Actor,
  appended: readonly OrderEvent[],
): Promise<void> {
  await events.append(
    tx,
    appended.map(({ type, data }) => ({
      type,
      subjectId: order.id,
      agentId: order.providerAgentId,
      readers: buyersOf(order),
      data,
      context: {
        actor_role: actor.role,
        service_id: order.serviceId,
        service_title: order.serviceTitle,
        related_party: order.relatedParty,
        price_micros: order.priceMicros === null ? null : String(order.priceMicros),
        client_agent_id: order.clientAgentId,
        client_wallet: order.clientWallet,
        client_user_id: order.userId,
        provider_agent_id: order.providerAgentId,
        provider_name: order.providerName,
        provider_owner_wallet: order.providerOwnerWallet,
        provider_owner_user_id: order.providerOwnerUserId,
      },
    })),
  );
}
