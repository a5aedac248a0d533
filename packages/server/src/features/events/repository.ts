/** The SQL that reads events. `platform/events` writes them. */
import { type RawBuilder, sql } from 'kysely';
import { isHeldThere } from '../../access/authority/buyer-wallet-repository.ts';
import type { ContractWallets } from '../../access/caller.ts';
import type { Db } from '../../platform/db/database.ts';
import type { EventReader } from '../../platform/events/event-log.ts';

/** Position of an event in feeds without numbers: its transaction, then its id. */
export interface Position {
  readonly xid: bigint;
  readonly id: bigint;
}

export interface EventRow {
  readonly id: bigint;
  readonly xid: bigint;
  /** Null in feeds without numbers. */
  readonly seq: bigint | null;
  readonly type: string;
  readonly subjectId: string;
  readonly orderId: string | null;
  readonly agentId: string | null;
  readonly data: Record<string, unknown>;
  readonly createdAt: Date;
}

export interface EventFilters {
  readonly types: readonly string[] | undefined;
  readonly orderId: string | undefined;
}

/** The order of an event: the one that its context names, otherwise its subject if that is an order. Events of a bounty name it. */
const orderOf = sql`coalesce(e.context->>'order_id', case when starts_with(e.subject_id, 'ord_') then e.subject_id end)`;
const columns = sql`e.id, e.type, e.subject_id as "subjectId", ${orderOf} as "orderId", e.agent_id as "agentId", e.data, e.created_at as "createdAt"`;

/**
 * The horizon: all transactions of this database below it have ended, so no event can appear there any more. Like `pg_snapshot_xmin`, but
 * other databases of the server do not hold it back. Read it in a statement before the one that reads events. That one sees everything that
 * ended before, and later transactions are above the horizon. `backend_xid` has no epoch, hence the arithmetic.
 */
async function readHorizon(db: Db): Promise<bigint> {
  const { rows } = await sql<{ horizon: bigint }>`
    with next as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid),
    running as (
      select (next.xid - a.backend_xid::text::bigint) & 4294967295 as age
      from next, pg_stat_activity a where a.datname = current_database() and a.backend_xid is not null)
    select next.xid - coalesce((select max(age) from running where age < 2147483648), 0) as horizon from next`.execute(db);
  return rows[0]?.horizon ?? 0n;
}

/** An agent's events by number. Numbers follow commits, so all numbers below a visible event are visible. */
export async function readByNumber(db: Db, reader: EventReader, after: bigint, filters: EventFilters, limit: number): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${columns}, r.seq, r.xid::text::bigint as xid
    from event_readers r join events e on e.id = r.event_id
    where r.reader = ${reader} and r.seq > ${after} and ${matching(filters)}
    order by r.seq limit ${limit}`.execute(db);
  return rows;
}

/** Events of several feeds by position, each event once. */
export async function readByPosition(
  db: Db,
  { readers, contracts }: { readonly readers: readonly EventReader[]; readonly contracts: ContractWallets },
  after: Position,
  filters: EventFilters,
  limit: number,
): Promise<EventRow[]> {
  const horizon = await readHorizon(db);
  const { rows } = await sql<EventRow>`
    select distinct on (found.xid, found.id) found.*, found.xid::text::bigint as xid, null::bigint as seq
    from unnest(${[...readers]}::text[]) as mine (reader)
    cross join lateral (
      select ${columns}, r.xid
      from event_readers r join events e on e.id = r.event_id
      where r.reader = mine.reader and (r.xid, r.event_id) > (${xidOf(after)}, ${after.id}::bigint) and r.xid < ${String(horizon)}::xid8 and ${matching(filters)}${ofHolders(contracts)}
      order by r.xid, r.event_id limit ${limit}) as found
    order by found.xid, found.id limit ${limit}`.execute(db);
  return rows;
}

/** Leaves out orders that another holder of the same contract address bought on another network. */
function ofHolders(contracts: ContractWallets): RawBuilder<unknown> {
  if (contracts.addresses.length === 0) return sql``;
  const readers = contracts.addresses.map((address) => `wallet:${address}`);
  return sql` and not (r.reader = any(${readers}::text[])
    and exists (select 1 from orders o where o.id = ${orderOf} and not ${isHeldThere(contracts, 'o')}))`;
}

/** The transaction of a position. One from before a restore counts as the transaction of the adopted events. */
function xidOf({ xid }: Position): RawBuilder<unknown> {
  const given = sql`${String(xid)}::xid8`;
  return sql`case when ${given} >= pg_snapshot_xmax(pg_current_snapshot()) then ${ADOPTED}::xid8 else ${given} end`;
}

function matching({ types, orderId }: EventFilters): RawBuilder<boolean> {
  const ofTypes = types === undefined ? sql`true` : sql`e.type = any(${[...types]}::text[])`;
  return orderId === undefined ? sql<boolean>`${ofTypes}` : sql<boolean>`${ofTypes} and ${orderOf} = ${orderId}`;
}

export interface ReadRow extends EventRow {
  readonly reader: EventReader;
  /** False while an earlier transaction is still running; then the row must not be published yet. */
  readonly settled: boolean;
}

/** Events after a position for all readers, one row per event and reader. */
export async function readBeyond(db: Db, after: Position, limit: number): Promise<ReadRow[]> {
  const horizon = await readHorizon(db);
  const { rows } = await sql<ReadRow>`
    select ${columns}, r.xid::text::bigint as xid, r.seq, r.reader, r.xid < ${String(horizon)}::xid8 as settled
    from event_readers r join events e on e.id = r.event_id
    where (r.xid, r.event_id) > (${String(after.xid)}::xid8, ${after.id}::bigint)
    order by r.xid, r.event_id limit ${limit}`.execute(db);
  return rows;
}

const LAST_ID = 10n ** 18n - 1n;

/** The position after all settled events. */
export async function readNow(db: Db): Promise<Position> {
  return { xid: (await readHorizon(db)) - 1n, id: LAST_ID };
}

export async function readLastNumber(db: Db, reader: EventReader): Promise<bigint> {
  const row = await db.selectFrom('eventCounters').select('lastSeq').where('reader', '=', reader).executeTakeFirst();
  return row?.lastSeq ?? 0n;
}

export async function listOwnedAgents(
  db: Db,
  owner: { readonly userId: string | null; readonly wallets: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from agents where owner_user_id = ${owner.userId}
    union select id from agents where owner_wallet = any(${[...owner.wallets]}::text[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** Transaction id of events from before a restore. No transaction of a running server has it. */
const ADOPTED = '1';

/** After a restore from a backup, places events of the old server, whose transactions have all ended, before our own. */
export async function adoptRestoredEvents(db: Db): Promise<void> {
  await sql`update event_readers set xid = ${ADOPTED}::xid8 where xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(db);
}
