/** Workspace requests as orders use them. The composition root hands them in, because workspaces import orders. */
import type { DeliverableId } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Actor } from './lifecycle/parties.ts';
import type { DeliveredItem, OrderRow } from './repository.ts';

export interface RequestAnswer {
  /** Absent: the request that has waited longest. */
  readonly requestId: DeliverableId | undefined;
  readonly items: readonly DeliveredItem[];
  readonly by: Caller;
  readonly actor: Actor;
}

/** `Context` is `OrdersContext`, which itself contains this interface. */
export interface OrderRequests<Context> {
  /** Answers a request of a locked order, and ends the workspace when this was its last request. */
  answer(tx: Tx, context: Context, order: OrderRow, answer: RequestAnswer): Promise<OrderRow>;
  /** Fails the requests still open when the order ends. The caller's step gives back as much quota as this returns. */
  failOpen(tx: Tx, order: OrderRow, error: string): Promise<number>;
}
