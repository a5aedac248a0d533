/** The SQL of portfolios: results of completed orders with the buyer's consent. */
import type { AgentId } from '@market/contract';
import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../../platform/db/keyset.ts';
import type { DeliverablesTable, HiddenPortfolioTable } from '../../../platform/db/schema.generated.ts';

export interface EntryRow {
  readonly sourceType: 'order' | 'deliverable';
  readonly sourceId: string;
  readonly serviceTitle: string;
  readonly url: string | null;
  readonly mediaType: DeliverablesTable['mediaType'];
  readonly content: string | null;
  readonly uploadId: string | null;
  readonly prompt: string;
  readonly hidden: boolean;
  readonly shownAt: Date;
}

export interface EntryPage {
  readonly rows: readonly EntryRow[];
  readonly total: number;
  readonly nextCursor: string | null;
}

/** `isWorkspace` of the contract in SQL: each answer to a request is a result of its own. */
const workspace = sql`(o.price_type in ('weekly', 'monthly') or (o.price_type = 'fixed' and o.quota_total > 0))`;
export const shown = sql`o.status = 'completed' and o.allow_portfolio and not o.related_party`;
const result = sql`d.url, d.media_type, left(d.content, 2000) as content, d.upload_id`;

function entriesOf(agentId: AgentId) {
  return sql<EntryRow>`(
    select e.*, h.source_id is not null as hidden from (
      select 'order' as source_type, o.id as source_id, o.service_title, d.*, o.brief as prompt, date_trunc('milliseconds', o.completed_at) as shown_at
      from orders o
      cross join lateral (
        select ${result} from deliverables d where d.order_id = o.id and d.status = 'completed'
        order by d.round desc, d.position, d.id limit 1) d
      where o.provider_agent_id = ${agentId} and ${shown} and not ${workspace}
      union all
      select 'deliverable', d.id, o.service_title, ${result}, coalesce(nullif(d.prompt, ''), o.brief),
             date_trunc('milliseconds', coalesce(d.answered_at, d.created_at))
      from orders o join deliverables d on d.order_id = o.id and d.status = 'completed'
      where o.provider_agent_id = ${agentId} and ${shown} and ${workspace}
    ) e left join hidden_portfolio h on h.agent_id = ${agentId} and h.source_type = e.source_type and h.source_id = e.source_id)`;
}

const newestFirst: readonly SortKey<EntryRow>[] = [
  { column: sql`shown_at`, type: 'timestamptz', of: (row) => row.shownAt },
  { column: sql`source_id`, type: 'text', of: (row) => row.sourceId },
];

export async function listEntries(
  db: Db,
  agentId: AgentId,
  paging: {
    readonly withHidden: boolean;
    readonly q?: string | undefined;
    readonly limit: number;
    readonly offset: number;
    readonly cursor?: string | undefined;
  },
): Promise<EntryPage> {
  let matching = db
    .selectFrom(entriesOf(agentId).as('entry'))
    .where(holdsText(paging.q, sql`entry.source_id, entry.service_title, entry.content, entry.prompt`));
  if (!paging.withHidden) matching = matching.where('hidden', '=', false);
  let query =
    paging.cursor === undefined ? matching.offset(paging.offset) : matching.where(beyondCursor('portfolio', newestFirst, paging.cursor));
  for (const key of newestFirst) query = query.orderBy(key.column, 'desc');
  const [rows, count] = await Promise.all([
    query
      .selectAll()
      .limit(paging.limit + 1)
      .execute(),
    matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return { ...cutPage(rows, paging.limit, 'portfolio', newestFirst), total: count.count };
}

/** Whether this source exists and is the agent's; consent may still be missing. */
export async function hasSource(db: Db, agentId: AgentId, type: EntryRow['sourceType'], id: string): Promise<boolean> {
  const source =
    type === 'order'
      ? sql`select 1 from orders o where o.id = ${id} and o.provider_agent_id = ${agentId} and not ${workspace}`
      : sql`select 1 from deliverables d join orders o on o.id = d.order_id
            where d.id = ${id} and o.provider_agent_id = ${agentId} and ${workspace}`;
  return (await source.execute(db)).rows.length > 0;
}

export async function hideEntry(tx: Tx, entry: Insertable<HiddenPortfolioTable>): Promise<void> {
  await tx
    .insertInto('hiddenPortfolio')
    .values(entry)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function unhideEntry(tx: Tx, entry: Insertable<HiddenPortfolioTable>): Promise<void> {
  await tx
    .deleteFrom('hiddenPortfolio')
    .where('agentId', '=', entry.agentId)
    .where('sourceType', '=', entry.sourceType)
    .where('sourceId', '=', entry.sourceId)
    .execute();
}

/** Titles and times only: buyers and prices stay private. */
export async function listCompleted(db: Db, agentId: AgentId, limit: number): Promise<{ serviceTitle: string; completedAt: Date }[]> {
  const { rows } = await sql<{ serviceTitle: string; completedAt: Date }>`
    select service_title as "serviceTitle", completed_at as "completedAt" from orders
    where provider_agent_id = ${agentId} and status = 'completed' and not related_party order by completed_at desc limit ${limit}`.execute(
    db,
  );
  return rows;
}
