/**
 * The parties of an order may read its files. Until completion the buyer gets a delivered image as a preview only. While the payment is
 * contestable, only its proven payer reads on the buyer's side.
 */
import type { OrderId, OrderRole } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Db } from '../../platform/db/database.ts';
import { rolesOf } from './lifecycle/parties.ts';
import { isWithheld } from './lifecycle/withheld.ts';
import { isPreviewOnly } from './present/present-deliverable.ts';
import { findOrders, isDelivered, type OrderRow } from './repository.ts';

interface AttachedFile {
  readonly id: string;
  readonly mediaType: string;
  readonly subjectIds: readonly string[];
}

/** Undefined for files that belong to no order. */
export function orderFileGuard(db: Db) {
  return async (caller: Caller, file: AttachedFile): Promise<'full' | 'preview' | 'no' | undefined> => {
    const orders = await findOrders(
      db,
      file.subjectIds.filter((id): id is OrderId => id.startsWith('ord_')),
    );
    if (orders.length === 0) return undefined;
    const levels = await Promise.all(orders.map((order) => levelIn(db, order, caller, file)));
    return levels.includes('full') ? 'full' : levels.includes('preview') ? 'preview' : 'no';
  };
}

async function levelIn(db: Db, order: OrderRow, caller: Caller, file: AttachedFile): Promise<'full' | 'preview' | 'no'> {
  const roles: readonly OrderRole[] = rolesOf(caller, order);
  if (roles.length === 0) return 'no';
  if (roles.some((role) => role !== 'buyer')) return 'full';
  if (isWithheld(order, { seesResults: false })) return 'no';
  const isGated = isPreviewOnly(order, 'buyer', file.mediaType) && (await isDelivered(db, order.id, file.id));
  return isGated ? 'preview' : 'full';
}
