/** The SQL of workspace requests. A request is the first deliverable of its round; further items of its answer follow. */
import type { DeliverableId, OrderId } from '@market/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../../platform/db/keyset.ts';
import type { DeliverablesTable } from '../../../platform/db/schema.generated.ts';

export type RequestRow = Selectable<DeliverablesTable>;

export interface RequestFilters {
  readonly status?: RequestRow['status'] | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

export interface RequestPage {
  readonly rows: readonly RequestRow[];
  readonly total: number;
  readonly nextCursor: string | null;
}

const newestFirst: readonly SortKey<RequestRow>[] = [
  { column: sql`round`, type: 'int4', of: (row) => row.round },
  { column: sql`id`, type: 'text', of: (row) => row.id },
];

/** Opens the next round of the order. */
export async function insertRequest(
  tx: Tx,
  request: Pick<RequestRow, 'id' | 'orderId' | 'prompt' | 'status' | 'answerBy'>,
): Promise<RequestRow> {
  const round = sql<number>`(select coalesce(max(round), 0) + 1 from deliverables where order_id = ${request.orderId})`;
  const empty = { url: null, mediaType: null, content: null, uploadId: null, error: null, answeredAt: null };
  return await tx
    .insertInto('deliverables')
    .values({ ...request, ...empty, round, isRequest: true })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Inserts the further items of an answer. */
export async function insertAnswers(tx: Tx, rows: readonly Insertable<DeliverablesTable>[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('deliverables')
    .values([...rows])
    .execute();
}

/** The named request, or the one that has waited longest. */
export async function findOpenRequest(tx: Tx, orderId: OrderId, id: DeliverableId | undefined): Promise<RequestRow | undefined> {
  let query = selectOpenRequests(tx, orderId);
  if (id !== undefined) query = query.where('id', '=', id);
  return await query.selectAll().orderBy('round').limit(1).executeTakeFirst();
}

export async function listOpenRequests(db: Db, orderId: OrderId): Promise<RequestRow[]> {
  return await selectOpenRequests(db, orderId).selectAll().execute();
}

export async function updateRequest(tx: Tx, id: DeliverableId, change: Updateable<DeliverablesTable>): Promise<void> {
  await tx.updateTable('deliverables').set(change).where('id', '=', id).execute();
}

export async function findRequest(db: Db, orderId: OrderId, id: DeliverableId): Promise<RequestRow> {
  return await selectRequests(db, orderId).selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export async function listRequests(db: Db, orderId: OrderId, filters: RequestFilters): Promise<RequestPage> {
  // Answers are not searched: they may be withheld.
  let matching = selectRequests(db, orderId).where(holdsText(filters.q, sql`id, prompt, error`));
  if (filters.status !== undefined) matching = matching.where('status', '=', filters.status);
  let query =
    filters.cursor === undefined ? matching.offset(filters.offset) : matching.where(beyondCursor('requests', newestFirst, filters.cursor));
  for (const key of newestFirst) query = query.orderBy(key.column, 'desc');
  const [rows, { count }] = await Promise.all([
    query
      .selectAll()
      .limit(filters.limit + 1)
      .execute(),
    matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return {
    ...cutPage(rows, filters.limit, 'requests', newestFirst),
    total: count,
  };
}

/** All items delivered in these rounds. */
export async function listAnswers(db: Db, orderId: OrderId, rounds: readonly number[]): Promise<RequestRow[]> {
  if (rounds.length === 0) return [];
  return await db
    .selectFrom('deliverables')
    .selectAll()
    .where('orderId', '=', orderId)
    .where('round', 'in', [...rounds])
    .where('status', 'in', ['completed', 'superseded'])
    .orderBy('round')
    .orderBy('position')
    .execute();
}

/** The latest requests before this one, oldest first. */
export async function listEarlierRequests(db: Db, { orderId, round }: RequestRow, limit: number): Promise<RequestRow[]> {
  const latest = await selectRequests(db, orderId).selectAll().where('round', '<', round).orderBy('round', 'desc').limit(limit).execute();
  return latest.reverse();
}

/** The endpoint accepted the request; the agent delivers later. */
export async function leavePending(tx: Tx, id: DeliverableId, answerBy: Date): Promise<void> {
  await tx.updateTable('deliverables').set({ status: 'pending', answerBy }).where('id', '=', id).execute();
}

function selectOpenRequests(db: Db, orderId: OrderId) {
  return selectRequests(db, orderId).where('status', 'in', ['pending', 'generating']);
}

function selectRequests(db: Db, orderId: OrderId) {
  return db.selectFrom('deliverables').where('orderId', '=', orderId).where('isRequest', '=', true);
}

/**
 * After a restore: gives agents time again for pending requests of running workspaces. Requests in `generating` stay: nobody waits for
 * their answer.
 */
export async function extendAnswerTimes(tx: Tx, notBefore: Date): Promise<readonly Pick<RequestRow, 'id' | 'orderId'>[]> {
  return await tx
    .updateTable('deliverables')
    .set({ answerBy: notBefore })
    .where('isRequest', '=', true)
    .where('status', '=', 'pending')
    .where('answerBy', '<', notBefore)
    .where('orderId', 'in', tx.selectFrom('orders').select('orders.id').where('orders.status', '=', 'in_progress'))
    .returning(['id', 'orderId'])
    .execute();
}
