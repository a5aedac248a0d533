/** Finds an order by id, or answers 404. */
import { MarketError } from '@market/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { findOrder, lockOrder, lockOrderWithPayee, type OrderRow, type Payee } from './repository.ts';

export async function requireOrder(db: Db, id: string): Promise<OrderRow> {
  const order = await findOrder(db, id);
  if (order === undefined) throw new MarketError('order_not_found');
  return order;
}

/** Locks the order until the transaction ends. */
export async function requireLockedOrder(tx: Tx, id: string): Promise<OrderRow> {
  const order = await lockOrder(tx, id);
  if (order === undefined) throw new MarketError('order_not_found');
  return order;
}

/** As `requireLockedOrder`, with where its provider is paid. */
export async function requireLockedWithPayee(tx: Tx, id: string): Promise<{ order: OrderRow; payee: Payee }> {
  const locked = await lockOrderWithPayee(tx, id);
  if (locked === undefined) throw new MarketError('order_not_found');
  return locked;
}
