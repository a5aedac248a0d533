/** The SQL of reading events. Writing them is the log's. */
import { type RawBuilder, sql } from 'kysely';
import { isHeldThere } from '../../access/authority/buyer-wallet-repository.ts';
import type { ContractPlaces } from '../../access/caller.ts';
import type { Db } from '../../platform/db/database.ts';
import type { EventReader } from '../../platform/events/event-log.ts';

/** Position of an event in feeds without numbers: by transaction, then by id. */
export interface Place {
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

/** An event is about its order, unless its context names another: that of a bounty is about the bounty. */
const orderOf = sql`coalesce(e.context->>'order_id', case when starts_with(e.subject_id, 'ord_') then e.subject_id end)`;
const columns = sql`e.id, e.type, e.subject_id as "subjectId", ${orderOf} as "orderId", e.agent_id as "agentId", e.data, e.created_at as "createdAt"`;

/**
 * The transaction below which all of this database have ended, so that nothing can appear there any more. Like `pg_snapshot_xmin`, but
 * without waiting for other databases of the same server. Must be read in a statement before the one that reads events: what ended by
 * then is visible to that one, and what began since is above. Ids of running transactions come without their epoch.
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

/** An agent's events by number. Numbers follow commits, so whatever is visible has everything before it. */
export async function readByNumber(db: Db, reader: EventReader, after: bigint, filters: EventFilters, limit: number): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${columns}, r.seq, r.xid::text::bigint as xid
    from event_readers r join events e on e.id = r.event_id
    where r.reader = ${reader} and r.seq > ${after} and ${matching(filters)}
    order by r.seq limit ${limit}`.execute(db);
  return rows;
}

/** Events of any of these feeds by place, each once. */
export async function readByPlace(
  db: Db,
  { readers, contracts }: { readonly readers: readonly EventReader[]; readonly contracts: ContractPlaces },
  after: Place,
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
      where r.reader = mine.reader and (r.xid, r.event_id) > (${placedXid(after)}, ${after.id}::bigint) and r.xid < ${String(horizon)}::xid8 and ${matching(filters)}${ofHolders(contracts)}
      order by r.xid, r.event_id limit ${limit}) as found
    order by found.xid, found.id limit ${limit}`.execute(db);
  return rows;
}

/** Without orders that another holder of a contract's address bought on another network. */
function ofHolders(contracts: ContractPlaces): RawBuilder<unknown> {
  if (contracts.addresses.length === 0) return sql``;
  const readers = contracts.addresses.map((address) => `wallet:${address}`);
  return sql` and not (r.reader = any(${readers}::text[])
    and exists (select 1 from orders o where o.id = ${orderOf} and not ${isHeldThere(contracts, 'o')}))`;
}

/** A position from before a restore is among the adopted events. */
function placedXid({ xid }: Place): RawBuilder<unknown> {
  const given = sql`${String(xid)}::xid8`;
  return sql`case when ${given} >= pg_snapshot_xmax(pg_current_snapshot()) then ${ADOPTED}::xid8 else ${given} end`;
}

function matching({ types, orderId }: EventFilters): RawBuilder<boolean> {
  const ofTypes = types === undefined ? sql`true` : sql`e.type = any(${[...types]}::text[])`;
  return orderId === undefined ? sql<boolean>`${ofTypes}` : sql<boolean>`${ofTypes} and ${orderOf} = ${orderId}`;
}

export interface ReadRow extends EventRow {
  readonly reader: EventReader;
  /** False: a transaction that began earlier is still running, so this row may not be published yet. */
  readonly settled: boolean;
}

/** Events of all readers after a position, one row per reader. */
export async function readBeyond(db: Db, after: Place, limit: number): Promise<ReadRow[]> {
  const horizon = await readHorizon(db);
  const { rows } = await sql<ReadRow>`
    select ${columns}, r.xid::text::bigint as xid, r.seq, r.reader, r.xid < ${String(horizon)}::xid8 as settled
    from event_readers r join events e on e.id = r.event_id
    where (r.xid, r.event_id) > (${String(after.xid)}::xid8, ${after.id}::bigint)
    order by r.xid, r.event_id limit ${limit}`.execute(db);
  return rows;
}

const LAST_ID = 10n ** 18n - 1n;

/** The place behind everything that is settled. */
export async function readNow(db: Db): Promise<Place> {
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

/** No transaction of a running server has this id. */
const ADOPTED = '1';

/** After a restore from a backup, all transactions of the old server have ended: their events come before our own. */
export async function adoptRestoredEvents(db: Db): Promise<void> {
  await sql`update event_readers set xid = ${ADOPTED}::xid8 where xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(db);
}
