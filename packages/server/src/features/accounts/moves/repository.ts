/** The SQL of waiting moves. Every change of state names the states it may start from. */
import type { AgentId, MoveId, MoveKind, MoveState } from '@market/contract';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Concerned, watchedAccounts } from '../../../access/authority/links-repository.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../../platform/db/keyset.ts';
import type { DelayedMovesTable } from '../../../platform/db/schema.generated.ts';

export type MoveRow = Omit<Selectable<DelayedMovesTable>, 'id' | 'agentId'> & { readonly id: MoveId; readonly agentId: AgentId | null };

export const openStates = ['waiting', 'ready'] as const satisfies readonly MoveState[];

type NewMove = Pick<MoveRow, 'id' | 'kind' | 'owner' | 'agentId' | 'topic' | 'summary' | 'requestedBy' | 'effectiveAt'> & {
  readonly payload: Readonly<Record<string, unknown>>;
};

/** Serialises new moves of one owner until the transaction ends, so that their count is right. */
export async function lockOwner(tx: Tx, owner: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`moves-of:${owner}`}, 0))`.execute(tx);
}

export async function countOpen(tx: Tx, owner: string): Promise<number> {
  const { count } = await tx
    .selectFrom('delayedMoves')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('owner', '=', owner)
    .where('state', 'in', [...openStates])
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertMove(tx: Tx, { payload, ...move }: NewMove): Promise<MoveRow> {
  const row = await tx
    .insertInto('delayedMoves')
    .values({ ...move, payload: JSON.stringify(payload), reason: null, resultId: null, readyUntil: null, endedAt: null })
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as MoveRow;
}

export async function findMove(db: Db, id: string): Promise<MoveRow | undefined> {
  return (await db.selectFrom('delayedMoves').selectAll().where('id', '=', id).executeTakeFirst()) as MoveRow | undefined;
}

/** Locks the row, so that a cancellation and the run of a move exclude each other. */
export async function lockMove(tx: Tx, id: string): Promise<MoveRow | undefined> {
  return (await tx.selectFrom('delayedMoves').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) as MoveRow | undefined;
}

export async function lockOpenMove(tx: Tx, agentId: AgentId, kind: MoveKind, topic: string): Promise<MoveRow | undefined> {
  const row = await tx
    .selectFrom('delayedMoves')
    .selectAll()
    .where('agentId', '=', agentId)
    .where('kind', '=', kind)
    .where('topic', '=', topic)
    .where('state', 'in', [...openStates])
    .forUpdate()
    .executeTakeFirst();
  return row as MoveRow | undefined;
}

export async function listOpenMovesOf(db: Db, agentId: AgentId, kind: MoveKind): Promise<readonly MoveRow[]> {
  const rows = await db
    .selectFrom('delayedMoves')
    .selectAll()
    .where('agentId', '=', agentId)
    .where('kind', '=', kind)
    .where('state', 'in', [...openStates])
    .execute();
  return rows as MoveRow[];
}

/** Locks every open move of the market. */
export async function lockOpenMoves(tx: Tx): Promise<readonly MoveRow[]> {
  const open = tx
    .selectFrom('delayedMoves')
    .selectAll()
    .where('state', 'in', [...openStates]);
  return (await open.orderBy('id').forUpdate().execute()) as MoveRow[];
}

interface MoveChange {
  readonly state: MoveState;
  readonly reason?: string;
  readonly resultId?: string;
  readonly readyUntil?: Date;
}

/** Compare-and-set; false when the move is no longer in a state of `from`. */
export async function changeMove(tx: Tx, id: string, from: readonly MoveState[], to: MoveChange): Promise<boolean> {
  const isEnd = to.state === 'done' || to.state === 'cancelled' || to.state === 'failed';
  const { numUpdatedRows } = await tx
    .updateTable('delayedMoves')
    .set({ ...to, ...(isEnd && { endedAt: sql<Date>`market_now()` }) })
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** True if the move was stored before a restore of the database: it may have run already. */
export async function isFromElsewhere(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql<{ elsewhere: boolean }>`
    select place <> database_place() as elsewhere from delayed_moves where id = ${id}`.execute(db);
  return rows[0]?.elsewhere === true;
}

/** Open moves that are due. */
export async function listDueMoves(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('delayedMoves')
    .select('id')
    .where('state', 'in', [...openStates])
    .where('effectiveAt', '<=', sql<Date>`market_now()`)
    .orderBy('effectiveAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

type ShownRow = Omit<MoveRow, 'kind' | 'topic' | 'requestedBy' | 'place'> & { readonly agentName: string | null };
/** A waiting change of an agent's payout address. It is stored with the agent, not as a move. */
export type ShownPayoutChange = ShownRow & { readonly kind: 'payout_change'; readonly agentId: AgentId };
export type ShownMove = (ShownRow & { readonly kind: MoveKind }) | ShownPayoutChange;

interface Waiting {
  readonly payoutChangeDelaySeconds: number;
}

/**
 * Defines `m`: moves that a watched account requested, and moves of agents that the caller owns now. Waiting payout changes have no row; they
 * are read from the agents of watched accounts and owner wallets. Their request time is not stored: it is their due time minus the delay.
 */
function shownTo(concerned: Concerned, { payoutChangeDelaySeconds: wait }: Waiting): RawBuilder<unknown> {
  const { userId, wallets } = concerned;
  const askedAt = sql`a.pending_payout_at - make_interval(secs => ${wait})`;
  return sql`with watched as materialized ${watchedAccounts(concerned)}, m as (
    select d.id, d.kind, d.owner, d.agent_id, d.state, d.summary, d.payload, d.created_at, d.effective_at, d.ready_until, d.ended_at,
      d.reason, d.result_id
    from delayed_moves d
    where exists (select 1 from watched w where d.owner = 'user:' || w.user_id and w.until > d.created_at)
      or d.agent_id in (select a.id from agents a where a.owner_user_id = ${userId} or a.owner_wallet = any(${sql.val([...wallets])}::text[]))
    union all
    select 'dmov_' || (extract(epoch from a.pending_payout_at) * 1000)::int8 || '_' || split_part(a.id, '_', 3), 'payout_change',
      coalesce('wallet:' || a.owner_wallet, 'user:' || a.owner_user_id), a.id, 'waiting', '', a.pending_payout, ${askedAt}, a.pending_payout_at,
      null, null, null, null
    from agents a where a.id in (
      select a.id from watched w join agents a on a.owner_user_id = w.user_id where a.pending_payout_at is not null and w.until > ${askedAt}
      union select a.id from agents a where a.owner_wallet = any(${sql.val([...wallets])}::text[]) and a.pending_payout_at is not null))`;
}

const newestFirst: readonly SortKey<ShownMove>[] = [
  { column: sql`m.created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`m.id`, type: 'text', of: (row) => row.id },
];

interface Page {
  readonly status: 'open' | 'all';
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

export async function listMoves(
  db: Db,
  waiting: Waiting,
  concerned: Concerned,
  { status, q, limit, offset, cursor }: Page,
): Promise<{ rows: ShownMove[]; total: number; nextCursor: string | null }> {
  const shown = shownTo(concerned, waiting);
  const matching = sql`${status === 'open' ? sql`m.state in ('waiting', 'ready')` : sql`true`}
    and ${holdsText(q, sql`m.id, m.summary, m.result_id, m.agent_id, (select a.name from agents a where a.id = m.agent_id)`)}`;
  const beyond = cursor === undefined ? sql<boolean>`true` : beyondCursor('moves', newestFirst, cursor);
  const { rows } = await sql<ShownMove>`
    ${shown} select m.*, a.name as agent_name from m left join agents a on a.id = m.agent_id
    where ${matching} and ${beyond} order by m.created_at desc, m.id desc
    limit ${limit + 1} offset ${cursor === undefined ? offset : 0}`.execute(db);
  const count = await sql<{ total: number }>`${shown} select count(*)::int as total from m where ${matching}`.execute(db);
  return { ...cutPage(rows, limit, 'moves', newestFirst), total: count.rows[0]?.total ?? 0 };
}

export async function findShownMove(db: Db, waiting: Waiting, concerned: Concerned, id: string): Promise<ShownMove | undefined> {
  const { rows } = await sql<ShownMove>`
    ${shownTo(concerned, waiting)} select m.*, a.name as agent_name from m left join agents a on a.id = m.agent_id
    where m.id = ${id}`.execute(db);
  return rows[0];
}
