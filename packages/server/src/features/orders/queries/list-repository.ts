/** Lists of orders: of a person from both sides, or of one agent. */
import { type AgentId, type OrderId, type OrderStatus, orderStatuses } from '@market/contract';
import { type Expression, type SqlBool, sql } from 'kysely';
import { isHeldThere } from '../../../access/authority/buyer-wallet-repository.ts';
import type { ContractWallets } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../../platform/db/keyset.ts';
import { clientNames, type OrderRow, selectOrders } from '../repository.ts';

/** All identities of the caller. */
export interface OrderParty {
  readonly agentId: AgentId | null;
  readonly userId: string | null;
  readonly wallets: readonly string[];
  readonly contracts: ContractWallets;
}

export interface OrderFilters {
  readonly side?: 'client' | 'provider' | undefined;
  /** Id or slug of the agent that works on them. */
  readonly agent?: string | undefined;
  /** Comma-separated; words that are no status match nothing. */
  readonly status?: string | undefined;
  readonly needsMe?: boolean | undefined;
  /** Part of a text that the row shows. */
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

export type ListedOrderRow = OrderRow & {
  readonly isClient: boolean;
  /** The side that must act next. */
  readonly needs: 'client' | 'provider' | null;
};

export interface OrderPage {
  readonly rows: readonly ListedOrderRow[];
  readonly total: number;
  readonly nextCursor: string | null;
}

const newestFirst: readonly SortKey<ListedOrderRow>[] = [
  { column: sql`orders.created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`orders.id`, type: 'text', of: (row) => row.id },
];

/** Leaves out the buyer's account, which providers do not see, and the results, which may be withheld. */
const seenByParties = sql`orders.id, orders.service_id, orders.bounty_id, orders.service_title, orders.category, orders.brief,
  provider.id, provider.name, provider.slug, orders.client_agent_id, ${clientNames}, orders.client_wallet, orders.payer, orders.payment_reference,
  (select string_agg(p.reference, ' ') from payouts p where p.subject_id = orders.id and p.state = 'confirmed'
    and p.purpose = case orders.status when 'cancelled' then 'refund' else 'payout' end)`;

/** A workspace waits for its provider only while a request is open. */
const needs = sql<ListedOrderRow['needs']>`case
  when orders.status in ('quoted', 'accepted', 'delivered') then 'client'
  when orders.status in ('pending_quote', 'paid', 'revision_requested') then 'provider'
  when orders.status = 'in_progress' and orders.workspace_ends_at is null then 'provider'
  when orders.status = 'in_progress' and exists (select 1 from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating')) then 'provider'
end`;

export async function listOrdersOf(db: Db, party: OrderParty, filters: OrderFilters): Promise<OrderPage> {
  const asClient = isClient(party);
  const asProvider = isProvider(party);
  const sides =
    filters.side === 'client' ? asClient : filters.side === 'provider' ? asProvider : sql<SqlBool>`(${asClient} or ${asProvider})`;
  return await page(db, sides, asClient, filters);
}

export async function listOrdersOfAgent(db: Db, agentId: AgentId, filters: OrderFilters): Promise<OrderPage> {
  return await page(db, sql<SqlBool>`orders.provider_agent_id = ${agentId}`, sql<SqlBool>`false`, filters);
}

async function page(db: Db, sides: Expression<SqlBool>, asClient: Expression<SqlBool>, filters: OrderFilters): Promise<OrderPage> {
  let matching = selectOrders(db)
    .where(sides)
    .where(holdsText(filters.q, seenByParties))
    .select([sql<boolean>`${asClient}`.as('isClient'), needs.as('needs')]);
  const statuses = readStatuses(filters.status);
  if (statuses !== undefined)
    matching = statuses.length === 0 ? matching.where(sql<SqlBool>`false`) : matching.where('orders.status', 'in', statuses);
  if (filters.agent !== undefined)
    matching = matching.where((row) =>
      row.or([row('provider.id', '=', filters.agent as AgentId), row('provider.slug', '=', filters.agent ?? '')]),
    );
  if (filters.needsMe !== undefined) matching = matching.where(waitsForCaller(asClient, filters.needsMe));

  let query =
    filters.cursor === undefined ? matching.offset(filters.offset) : matching.where(beyondCursor('orders', newestFirst, filters.cursor));
  for (const key of newestFirst) query = query.orderBy(key.column, 'desc');
  const [rows, count] = await Promise.all([
    query.limit(filters.limit + 1).execute() as Promise<unknown> as Promise<ListedOrderRow[]>,
    matching.clearSelect().select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return {
    ...cutPage(rows, filters.limit, 'orders', newestFirst),
    total: count.count,
  };
}

/** Orders that wait for no side count as not waiting for the caller. */
function waitsForCaller(asClient: Expression<SqlBool>, wanted: boolean): Expression<SqlBool> {
  const mine = sql`case when ${asClient} then 'client' else 'provider' end`;
  return wanted ? sql<SqlBool>`${needs} = ${mine}` : sql<SqlBool>`${needs} is distinct from ${mine}`;
}

function readStatuses(list: string | undefined): OrderStatus[] | undefined {
  if (list === undefined || list.trim() === '') return undefined;
  const wanted = list.split(',').map((word) => word.trim());
  return orderStatuses.filter((status) => wanted.includes(status));
}

function isClient(party: OrderParty): Expression<SqlBool> {
  return sql<SqlBool>`(orders.client_agent_id = ${party.agentId} or orders.user_id = ${party.userId}
    or (orders.client_wallet = any(${[...party.wallets]}) and ${isHeldThere(party.contracts, 'orders')}) or orders.client_agent_id in (${ownAgents(party)}))`;
}

function isProvider(party: OrderParty): Expression<SqlBool> {
  return sql<SqlBool>`(orders.provider_agent_id = ${party.agentId} or orders.provider_agent_id in (${ownAgents(party)}))`;
}

function ownAgents(party: OrderParty) {
  return sql`select own.id from agents own where own.owner_user_id = ${party.userId} or own.owner_wallet = any(${[...party.wallets]})`;
}

/** Unread messages per order, for the side the caller is on. */
export async function countUnread(
  db: Db,
  orders: readonly { id: OrderId; side: 'client' | 'agent' }[],
): Promise<ReadonlyMap<string, number>> {
  if (orders.length === 0) return new Map();
  const { rows } = await sql<{ id: string; count: number }>`
    select o.id, count(m.*)::int as count
    from jsonb_to_recordset(${JSON.stringify(orders)}::jsonb) as o (id text, side text)
    join order_messages m on m.order_id = o.id and m.sender_type <> o.side
    left join message_reads r on r.order_id = o.id and r.side = o.side
    where m.number > coalesce(r.last_number, 0) group by o.id`.execute(db);
  return new Map(rows.map((row) => [row.id, row.count]));
}
