/** Fails an unanswered request and gives its quota back. */
import type { DeliverableId } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { amendOrder, appendOrderEvents, type OrderRow, type OrdersContext, systemActor } from '../index.ts';
import { findOpenRequest, listOpenRequests, updateRequest } from './repository.ts';

/** The order must be locked. Does nothing when the request was answered meanwhile. */
export async function failRequest(tx: Tx, context: OrdersContext, order: OrderRow, requestId: DeliverableId, error: string): Promise<void> {
  const request = await findOpenRequest(tx, order.id, requestId);
  if (request === undefined) return;
  await updateRequest(tx, request.id, { status: 'failed', error, answeredAt: order.now });
  await amendOrder(tx, order, { quotaUsed: order.quotaUsed - 1 });
  await appendOrderEvents(tx, context, order, systemActor, [
    { type: 'order.request_answered', data: { request_id: request.id, status: 'failed' } },
  ]);
}

/** Fails the requests still open when the order ends; the step that ends it gives back as much quota as this returns. */
export async function failOpenRequests(tx: Tx, order: OrderRow, error: string): Promise<number> {
  const open = await listOpenRequests(tx, order.id);
  for (const request of open) await updateRequest(tx, request.id, { status: 'failed', error, answeredAt: order.now });
  return open.length;
}
