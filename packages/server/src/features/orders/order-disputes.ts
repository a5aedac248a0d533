/** What orders need of disputes. The composition root hands it in, because disputes know orders and not the other way round. */
import type { OperationAnswer, Operations, OrderId } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { OrderRow } from './repository.ts';

export type WireDispute = NonNullable<OperationAnswer<Operations['orders']['get']>['data']['dispute']>;

export interface DisputeOpening {
  readonly openedBy: 'buyer' | 'system';
  readonly reason: string;
}

export interface OrderDisputes {
  /** The order goes to dispute in the same transaction. */
  open(tx: Tx, context: { readonly clock: Clock }, order: OrderRow, opening: DisputeOpening): Promise<void>;
  /** The open dispute of an order ends because the payer gets everything back. */
  closeRefunded(tx: Tx, orderId: OrderId): Promise<void>;
  /** The latest dispute as both sides read it. */
  show(db: Db, orderId: OrderId): Promise<WireDispute | null>;
}
