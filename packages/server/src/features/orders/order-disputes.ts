/** Disputes as orders use them. The composition root hands them in, because disputes import orders. */
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
  /** Writes the dispute. The order's step to `disputed` comes in the same transaction. */
  open(tx: Tx, context: { readonly clock: Clock }, order: OrderRow, opening: DisputeOpening): Promise<void>;
  /** Closes the open dispute of an order whose payer gets everything back. */
  closeRefunded(tx: Tx, orderId: OrderId): Promise<void>;
  /** The latest dispute as both sides read it. */
  show(db: Db, orderId: OrderId): Promise<WireDispute | null>;
}
