/** The SQL of the delivery log, as owners read it. */
import type { AgentId } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import type { WebhookAttemptsTable, WebhookDeliveriesTable } from '../../platform/db/schema.generated.ts';
import { WEBHOOKS_CHANNEL } from './queue-repository.ts';

export type DeliveryState = 'waiting' | 'retrying' | 'delivered' | 'failed' | 'dropped';
export type AttemptRow = Selectable<WebhookAttemptsTable>;

export interface DeliveryRow extends Selectable<WebhookDeliveriesTable> {
  readonly state: DeliveryState;
  readonly nextAt: Date | null;
  readonly finishedAt: Date | null;
}

export interface DeliveryFilters {
  readonly state?: DeliveryState | undefined;
  readonly event?: string | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

const newestFirst: readonly SortKey<DeliveryRow>[] = [{ column: sql`d.agent_seq`, type: 'int8', of: (row) => row.agentSeq }];

/** A queued delivery is open; any other has a final attempt. */
const state = sql<DeliveryState>`
  case when q.agent_id is null then coalesce(e.ends_as, 'dropped') when q.next_at is null then 'waiting' else 'retrying' end`;

function selectDeliveries(db: Db, agentId: AgentId) {
  return db
    .selectFrom('webhookDeliveries as d')
    .leftJoin('webhookQueue as q', (join) => join.onRef('q.agentId', '=', 'd.agentId').onRef('q.agentSeq', '=', 'd.agentSeq'))
    .leftJoin('webhookAttempts as e', (join) =>
      join.onRef('e.agentId', '=', 'd.agentId').onRef('e.agentSeq', '=', 'd.agentSeq').on('e.endsAs', 'is not', null),
    )
    .where('d.agentId', '=', agentId);
}

const shown = [
  state.as('state'),
  sql<Date | null>`q.next_at`.as('nextAt'),
  sql<Date | null>`e.at + make_interval(secs => e.duration_ms / 1000.0)`.as('finishedAt'),
] as const;

/** Only the columns of attempts that the list shows. The body is shown with one delivery only. */
const shownTexts = sql`d.id, d.event, d.order_id, (select string_agg(concat_ws(' ', w.url, w.error, w.answer), ' ') from webhook_attempts w
  where w.agent_id = d.agent_id and w.agent_seq = d.agent_seq and w.url is not null)`;

export async function listDeliveries(
  db: Db,
  agentId: AgentId,
  filters: DeliveryFilters,
): Promise<{ readonly rows: readonly DeliveryRow[]; readonly total: number; readonly nextCursor: string | null }> {
  let matching = selectDeliveries(db, agentId).where(holdsText(filters.q, shownTexts));
  if (filters.state !== undefined) matching = matching.where(state, '=', filters.state);
  if (filters.event !== undefined) matching = matching.where('d.event', '=', filters.event);
  let query =
    filters.cursor === undefined
      ? matching.offset(filters.offset)
      : matching.where(beyondCursor('deliveries', newestFirst, filters.cursor));
  for (const key of newestFirst) query = query.orderBy(key.column, 'desc');
  const [rows, { count }] = await Promise.all([
    query
      .selectAll('d')
      .select(shown)
      .limit(filters.limit + 1)
      .execute(),
    matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return { ...cutPage(rows, filters.limit, 'deliveries', newestFirst), total: count };
}

export async function findDelivery(db: Db, agentId: AgentId, id: string): Promise<DeliveryRow | undefined> {
  return await selectDeliveries(db, agentId).where('d.id', '=', id).selectAll('d').select(shown).executeTakeFirst();
}

/** As `findDelivery`; two redeliveries follow each other. */
export async function lockDelivery(tx: Tx, agentId: AgentId, id: string): Promise<DeliveryRow | undefined> {
  await tx.selectFrom('webhookDeliveries').select('id').where('id', '=', id).where('agentId', '=', agentId).forUpdate().execute();
  return await findDelivery(tx, agentId, id);
}

/** Attempts of these deliveries, in order. */
export async function listAttempts(db: Db, agentId: AgentId, seqs: readonly bigint[]): Promise<AttemptRow[]> {
  if (seqs.length === 0) return [];
  return await db
    .selectFrom('webhookAttempts')
    .selectAll()
    .where('agentId', '=', agentId)
    .where('agentSeq', 'in', [...seqs])
    .orderBy('agentSeq')
    .orderBy('number')
    .execute();
}

/** Begins a new round of attempts; the process that holds the agent is notified at commit. */
export async function queueAgain(tx: Tx, { id, agentId, agentSeq }: DeliveryRow): Promise<void> {
  await tx
    .updateTable('webhookDeliveries')
    .set((update) => ({ redeliveries: update('redeliveries', '+', 1) }))
    .where('id', '=', id)
    .execute();
  await sql`update webhook_attempts set ends_as = null where agent_id = ${agentId} and agent_seq = ${agentSeq} and ends_as is not null`.execute(
    tx,
  );
  await sql`
    insert into webhook_queue (agent_id, agent_seq, attempts, next_at)
    select ${agentId}, ${agentSeq}, count(*), market_now() from webhook_attempts
    where agent_id = ${agentId} and agent_seq = ${agentSeq}`.execute(tx);
  await sql`select pg_notify(${WEBHOOKS_CHANNEL}, ${`!${agentId}`})`.execute(tx);
}

export async function countOpenOf(db: Db, agentId: AgentId): Promise<number> {
  const { count } = await db
    .selectFrom('webhookQueue')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('agentId', '=', agentId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes old deliveries, but none that is still under way. */
export async function deleteFinishedBefore(db: Db, days: number): Promise<void> {
  await sql`
    with old as (
      delete from webhook_deliveries d where created_at < market_now() - make_interval(days => ${days})
      and not exists (select 1 from webhook_queue q where q.agent_id = d.agent_id and q.agent_seq = d.agent_seq)
      returning agent_id, agent_seq)
    delete from webhook_attempts a using old where a.agent_id = old.agent_id and a.agent_seq = old.agent_seq`.execute(db);
}
