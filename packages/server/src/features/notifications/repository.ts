/** The SQL of notifications. */
import type { AgentId, NetworkName, NotificationId, OrderId } from '@market/contract';
import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { isHeldThere } from '../../access/authority/buyer-wallet-repository.ts';
import type { ContractWallets } from '../../access/caller.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type { NotificationsTable } from '../../platform/db/schema.generated.ts';

export type NotificationRow = Omit<Selectable<NotificationsTable>, 'collapsed' | 'eventIds'>;
export type NewNotification = Omit<Selectable<NotificationsTable>, 'readAt' | 'count' | 'eventIds'>;

/** All identities of a caller; a notification for any of them is theirs. */
export interface Reader {
  readonly userId: string | null;
  readonly wallets: readonly string[];
  readonly contracts: ContractWallets;
  readonly agentId: AgentId | null;
}

export interface NotificationPage {
  readonly rows: readonly NotificationRow[];
  readonly total: number;
  readonly nextCursor: string | null;
}

const GIVEN = `jsonb_to_recordset($1::jsonb) as n (id text, "eventId" bigint, "userId" text, wallet text, "agentId" text, type text, title text,
  body text, "orderId" text, link text, collapsed text, "createdAt" timestamptz)`;
const RECIPIENT = `coalesce(user_id, ''), coalesce(wallet, ''), coalesce(agent_id, '')`;

/** Inserts notifications. Skips recipients that already have one of the event. */
const INSERT = `insert into notifications (id, event_id, user_id, wallet, agent_id, type, title, body, order_id, link, created_at)
  select id, "eventId", "userId", wallet, "agentId", type, title, body, "orderId", link, "createdAt" from ${GIVEN}
  on conflict do nothing`;

/** Number of latest events that a collapsed row remembers. */
const REMEMBERED = 200;

const LATEST_WORDS = ['title', 'body', 'order_id', 'link', 'created_at']
  .map((column) => `${column} = case when excluded.event_id > old.event_id then excluded.${column} else old.${column} end`)
  .join(', ');

/**
 * Keeps one unread row per kind, type and recipient, with the text of the latest event. The row gets a new id each time, so marking a seen
 * row as read does not mark later events.
 */
const COLLAPSE = `insert into notifications as old
    (id, event_id, user_id, wallet, agent_id, type, title, body, order_id, link, created_at, collapsed, count, event_ids)
  select (array_agg(id order by "eventId" desc))[1], max("eventId"), "userId", wallet, "agentId", type, (array_agg(title order by "eventId" desc))[1],
    (array_agg(body order by "eventId" desc))[1], (array_agg("orderId" order by "eventId" desc))[1], (array_agg(link order by "eventId" desc))[1],
    max("createdAt"), collapsed, count(*), (array_agg("eventId"::text order by "eventId" desc))[:${REMEMBERED}]
  from ${GIVEN}
  where not exists (select 1 from notifications o where o.collapsed = n.collapsed and o.type = n.type and coalesce(o.user_id, '') = coalesce(n."userId", '')
    and coalesce(o.wallet, '') = coalesce(n.wallet, '') and coalesce(o.agent_id, '') = coalesce(n."agentId", '') and n."eventId"::text = any(o.event_ids))
  group by "userId", wallet, "agentId", type, collapsed
  on conflict (collapsed, type, ${RECIPIENT}) where collapsed is not null and read_at is null do update set
    id = excluded.id, count = old.count + excluded.count, event_id = greatest(old.event_id, excluded.event_id),
    event_ids = (excluded.event_ids || old.event_ids)[:${REMEMBERED}],
    ${LATEST_WORDS}`;

export async function insertNotifications(tx: Tx, rows: readonly NewNotification[]): Promise<void> {
  for (const [statement, isMeant] of [
    [INSERT, (row: NewNotification) => row.collapsed === null],
    [COLLAPSE, (row: NewNotification) => row.collapsed !== null],
  ] as const) {
    const values = rows.filter(isMeant).map(({ eventId, ...row }) => ({ ...row, eventId: String(eventId) }));
    if (values.length > 0) await tx.executeQuery(deferred(statement, [JSON.stringify(values)]));
  }
}

function isFor({ userId, wallets, contracts, agentId }: Reader): Expression<SqlBool> {
  const isHolders =
    contracts.addresses.length === 0
      ? sql``
      : sql` and (order_id is null or exists (select 1 from orders o where o.id = order_id and ${isHeldThere(contracts, 'o')}))`;
  return sql<SqlBool>`(user_id = ${userId} or (wallet = any(${[...wallets]})${isHolders}) or agent_id = ${agentId})`;
}

/** Sorted by event, not by time of writing, so that a row written late stands in its place. */
const newestFirst: readonly SortKey<NotificationRow>[] = [
  { column: sql`event_id`, type: 'int8', of: (row) => row.eventId },
  { column: sql`id`, type: 'text', of: (row) => row.id },
];

export async function listNotifications(
  db: Db,
  reader: Reader,
  paging: {
    readonly unread: boolean;
    readonly q?: string | undefined;
    readonly limit: number;
    readonly offset: number;
    readonly cursor?: string | undefined;
  },
): Promise<NotificationPage> {
  let matching = db.selectFrom('notifications').where(isFor(reader)).where(holdsText(paging.q, sql`id, title, body, agent_id, order_id`));
  if (paging.unread) matching = matching.where('readAt', 'is', null);
  let query =
    paging.cursor === undefined
      ? matching.offset(paging.offset)
      : matching.where(beyondCursor('notifications', newestFirst, paging.cursor));
  for (const key of newestFirst) query = query.orderBy(key.column, 'desc');
  const [rows, count] = await Promise.all([
    query
      .select(['id', 'eventId', 'userId', 'wallet', 'agentId', 'type', 'title', 'body', 'orderId', 'link', 'count', 'readAt', 'createdAt'])
      .limit(paging.limit + 1)
      .execute(),
    matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return {
    ...cutPage(rows, paging.limit, 'notifications', newestFirst),
    total: count.count,
  };
}

export async function countUnread(db: Db, reader: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('notifications')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(isFor(reader))
    .where('readAt', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Marks the reader's notifications as read: the named ones, those about an order, or all. */
export async function markRead(
  tx: Tx,
  reader: Reader,
  { ids, orderId }: { readonly ids: readonly string[]; readonly orderId?: OrderId | undefined },
): Promise<void> {
  let update = tx.updateTable('notifications').set({ readAt: sql`market_now()` }).where(isFor(reader)).where('readAt', 'is', null);
  if (ids.length > 0) update = update.where('id', 'in', ids as readonly NotificationId[]);
  // A row that stands for several orders stays unread.
  if (orderId !== undefined) update = update.where('orderId', '=', orderId).where('count', '=', 1);
  await update.execute();
}

export async function deleteReadBefore(db: Db, days: number): Promise<void> {
  await sql`delete from notifications where read_at < market_now() - make_interval(days => ${days})`.execute(db);
}

/** The order data that notifications need, and the recipients. */
export interface NotifiedOrder {
  readonly id: OrderId;
  readonly title: string;
  readonly providerName: string;
  readonly priceMicros: bigint | null;
  readonly network: NetworkName | null;
  readonly reviewDeadline: Date | null;
  readonly revisionDeadline: Date | null;
  /** Null until the order is settled, and if the provider was paid at hire. */
  readonly agentMicros: bigint | null;
  readonly refundMicros: bigint | null;
  /** True if the provider was paid at hire, so nothing is held. */
  readonly paidAtHire: boolean;
  readonly clientAgentId: AgentId | null;
  readonly clientUserId: string | null;
  readonly clientWallet: string | null;
  readonly providerAgentId: AgentId;
  readonly providerUserId: string | null;
  readonly providerWallet: string | null;
}

/** Finds the sides of orders. Events of payments and payouts name only their subject, so this serves all events. */
export async function findNotifiedOrders(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, NotifiedOrder>> {
  const { rows } = await sql<NotifiedOrder>`
    select o.id, o.service_title as title, p.name as "providerName", o.price_micros as "priceMicros", o.payment_network as network,
           o.review_deadline as "reviewDeadline", o.revision_deadline as "revisionDeadline",
           s.agent_micros as "agentMicros", s.refund_micros as "refundMicros",
           o.settlement = 'instant' and s.order_id is not null as "paidAtHire",
           o.client_agent_id as "clientAgentId", coalesce(o.user_id, c.owner_user_id) as "clientUserId",
           coalesce(o.client_wallet, c.owner_wallet) as "clientWallet",
           o.provider_agent_id as "providerAgentId", p.owner_user_id as "providerUserId", p.owner_wallet as "providerWallet"
    from orders o join agents p on p.id = o.provider_agent_id left join agents c on c.id = o.client_agent_id
    left join settlements s on s.order_id = o.id where o.id = any(${[...ids]})`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
