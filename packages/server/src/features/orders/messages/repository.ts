/** The SQL of messages and of how far each side has read them. */
import type { OrderId } from '@market/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cursorAfter, type SortKey } from '../../../platform/db/keyset.ts';
import type { OrderMessagesTable } from '../../../platform/db/schema.generated.ts';

export type MessageRow = Selectable<OrderMessagesTable>;
export type Side = MessageRow['senderType'];

export interface MessagePaging {
  /** Only messages with a higher number. */
  readonly after: number;
  readonly q?: string | undefined;
  /** Messages of this side show no text to the reader. */
  readonly withheldOf?: Side | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

export interface MessagePage {
  /** Oldest first. */
  readonly rows: readonly MessageRow[];
  readonly total: number;
  /** Opens the page with older messages. */
  readonly nextCursor: string | null;
}

/** Takes the next number. The order must be locked, so that numbers have no gaps and no doubles. */
export async function insertMessage(tx: Tx, message: Omit<Insertable<OrderMessagesTable>, 'number'>): Promise<MessageRow> {
  return await tx
    .insertInto('orderMessages')
    .values({
      ...message,
      number: sql<number>`(select coalesce(max(number), 0) + 1 from order_messages where order_id = ${message.orderId})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

const byNumber: readonly SortKey<{ readonly number: number }>[] = [{ column: sql`number`, type: 'int4', of: (row) => row.number }];

export async function listMessages(db: Db, orderId: OrderId, paging: MessagePaging): Promise<MessagePage> {
  const { after, q, withheldOf = null, limit, offset, cursor } = paging;
  const texts = sql`id, sender_id, sender_name, case when sender_type = ${withheldOf}::text then '' else content end`;
  const matching = db.selectFrom('orderMessages').where('orderId', '=', orderId).where('number', '>', after).where(holdsText(q, texts));
  const query = cursor === undefined ? matching.offset(offset) : matching.where(beyondCursor('messages', byNumber, cursor));
  const [newestFirst, count] = await Promise.all([
    query
      .selectAll()
      .orderBy('number', 'desc')
      .limit(limit + 1)
      .execute(),
    matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  const shown = newestFirst.slice(0, limit);
  const oldest = shown.at(-1);
  return {
    rows: shown.reverse(),
    total: count.count,
    nextCursor: newestFirst.length > limit && oldest !== undefined ? cursorAfter('messages', byNumber, oldest) : null,
  };
}

export async function readMarkers(db: Db, orderId: OrderId): Promise<Readonly<Record<Side, number>>> {
  const rows = await db.selectFrom('messageReads').select(['side', 'lastNumber']).where('orderId', '=', orderId).execute();
  const of = (side: Side): number => rows.find((row) => row.side === side)?.lastNumber ?? 0;
  return { client: of('client'), agent: of('agent') };
}

/** Moves a read marker: never backwards, and never beyond the last message. */
export async function advanceMarker(tx: Tx, orderId: OrderId, side: Side, upTo: number | undefined): Promise<number> {
  const { rows } = await sql<{ lastNumber: number }>`
    insert into message_reads as r (order_id, side, last_number)
    select ${orderId}, ${side}, least(${upTo ?? null}::int, coalesce(max(number), 0)) from order_messages where order_id = ${orderId}
    on conflict (order_id, side) do update set last_number = excluded.last_number, read_at = market_now()
      where excluded.last_number > r.last_number
    returning last_number as "lastNumber"`.execute(tx);
  return rows[0]?.lastNumber ?? (await readMarkers(tx, orderId))[side];
}
