/** The SQL of withdrawals and their parts. */
import type { EarnWithdrawalStatus } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { EarnPartsTable, EarnWithdrawalsTable } from '../../platform/db/schema.generated.ts';
import { type Exact, exact } from './exact-rows.ts';
import type { Owner } from './vault-repository.ts';

export type WithdrawalRow = Exact<Selectable<EarnWithdrawalsTable>>;
export type PartRow = Exact<Selectable<EarnPartsTable>>;

type NewWithdrawal = Pick<WithdrawalRow, 'id' | 'vaultKey' | 'shares' | 'units' | 'principalMicros' | 'destination' | 'slippageBps'>;

/** `found`: found on chain after a restore. Nothing joins such a withdrawal, and it may hold units without burned shares. */
export async function insertWithdrawal(
  tx: Tx,
  owner: Owner,
  withdrawal: NewWithdrawal,
  found?: { readonly unitsSpread: bigint },
): Promise<void> {
  const unitsSpread = found?.unitsSpread ?? 0n;
  const unitsLeft = withdrawal.units + unitsSpread;
  const isOf = { ownerKind: owner.kind, ownerId: owner.id };
  await tx
    .insertInto('earnWithdrawals')
    .values({ ...withdrawal, ...isOf, unitsLeft, unitsSpread, takesMore: found === undefined, reason: null, settledAt: null })
    .execute();
}

/** The open withdrawal that a further one of this owner joins. */
export async function findOpenOf(db: Db, vaultKey: string, { kind, id }: Owner): Promise<WithdrawalRow | undefined> {
  const row = await db
    .selectFrom('earnWithdrawals')
    .selectAll()
    .where('vaultKey', '=', vaultKey)
    .where('ownerKind', '=', kind)
    .where('ownerId', '=', id)
    .where('takesMore', '=', true)
    .where('status', 'in', ['queued', 'redeeming'])
    .executeTakeFirst();
  return row && exact(row);
}

/** The joined withdrawal goes to the end of the queue and takes the stricter slippage. */
export async function joinWithdrawal(
  tx: Tx,
  id: string,
  { slippageBps, ...burned }: Pick<WithdrawalRow, 'shares' | 'units' | 'principalMicros' | 'slippageBps'>,
): Promise<void> {
  await addBurned(tx, id, burned);
  await sql`
    update earn_withdrawals set queue_number = default, slippage_bps = least(slippage_bps, ${slippageBps}) where id = ${id}`.execute(tx);
}

/** The number of withdrawals of this owner from this vault. */
export async function countWithdrawalsOf(db: Db, vaultKey: string, { kind, id }: Owner): Promise<number> {
  const { count } = await db
    .selectFrom('earnWithdrawals')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('vaultKey', '=', vaultKey)
    .where('ownerKind', '=', kind)
    .where('ownerId', '=', id)
    .executeTakeFirstOrThrow();
  return count;
}

export async function findWithdrawal(db: Db, id: string): Promise<WithdrawalRow | undefined> {
  const row = await db.selectFrom('earnWithdrawals').selectAll().where('id', '=', id).executeTakeFirst();
  return row && exact(row);
}

export async function listWithdrawals(db: Db, ids: readonly string[]): Promise<WithdrawalRow[]> {
  if (ids.length === 0) return [];
  return (
    await db
      .selectFrom('earnWithdrawals')
      .selectAll()
      .where('id', 'in', [...ids])
      .execute()
  ).map(exact);
}

export async function lockWithdrawal(tx: Tx, id: string): Promise<WithdrawalRow> {
  return exact(await tx.selectFrom('earnWithdrawals').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow());
}

/** Adds shares burned for this withdrawal. */
export async function addBurned(
  tx: Tx,
  id: string,
  { shares, units, principalMicros }: Pick<WithdrawalRow, 'shares' | 'units' | 'principalMicros'>,
): Promise<void> {
  await sql`
    update earn_withdrawals set shares = shares + ${shares}, units = units + ${units}, units_left = units_left + ${units},
      principal_micros = principal_micros + ${principalMicros}, updated_at = market_now() where id = ${id}`.execute(tx);
}

/** This owner's withdrawals in the queue, in its order. */
export async function lockQueueOf(tx: Tx, vaultKey: string, { kind, id }: Owner): Promise<WithdrawalRow[]> {
  return (await lockQueue(tx, vaultKey)).filter((row) => row.ownerKind === kind && row.ownerId === id);
}

const selectQueue = (db: Db, vaultKey: string) =>
  db
    .selectFrom('earnWithdrawals')
    .selectAll()
    .where('vaultKey', '=', vaultKey)
    .where('status', 'in', ['queued', 'redeeming'])
    .orderBy('queueNumber');

/** The front of the queue, in its order. */
export async function listQueue(db: Db, vaultKey: string, limit: number): Promise<WithdrawalRow[]> {
  return (await selectQueue(db, vaultKey).limit(limit).execute()).map(exact);
}

/** The vault must be locked. */
export async function lockQueue(tx: Tx, vaultKey: string, limit?: number): Promise<WithdrawalRow[]> {
  const queue = selectQueue(tx, vaultKey).forUpdate();
  return (await (limit === undefined ? queue : queue.limit(limit)).execute()).map(exact);
}

/** Moves all of them from queued to redeeming, or throws. */
export async function startRedeeming(tx: Tx, ids: readonly string[]): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('earnWithdrawals')
    .set({ status: 'redeeming', reason: null, updatedAt: sql`market_now()` })
    .where('id', 'in', [...ids])
    .where('status', '=', 'queued')
    .executeTakeFirst();
  if (numUpdatedRows !== BigInt(ids.length)) throw new Error('the queue changed while it was locked');
}

/** Counts refusals by the venue in a row. */
export async function countRefusal(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('earnWithdrawals').set({ refusals: sql`refusals + 1` }).where('id', '=', id).execute();
}

export async function moveWithdrawal(
  tx: Tx,
  id: string,
  from: EarnWithdrawalStatus,
  to: EarnWithdrawalStatus,
  change: { readonly reason?: string | null; readonly unitsLeft?: bigint; readonly receivedMicros?: bigint; readonly refusals?: 0 } = {},
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('earnWithdrawals')
    .set({ ...change, status: to, settledAt: to === 'settled' ? sql<Date>`market_now()` : null, updatedAt: sql`market_now()` })
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function addPaid(tx: Tx, id: string, micros: bigint): Promise<void> {
  await tx
    .updateTable('earnWithdrawals')
    .set({ paidMicros: sql`paid_micros + ${micros}`, updatedAt: sql`market_now()` })
    .where('id', '=', id)
    .execute();
}

/** Writes a withdrawal's share of a loss or gain. */
export async function spreadOver(tx: Tx, id: string, unitsLeft: bigint, change: bigint): Promise<void> {
  await tx
    .updateTable('earnWithdrawals')
    .set({
      unitsLeft,
      unitsSpread: sql`units_spread + ${change}`,
      status: unitsLeft === 0n ? 'paying' : sql`status`,
      updatedAt: sql`market_now()`,
    })
    .where('id', '=', id)
    .execute();
}

export async function insertPart(
  tx: Tx,
  part: Pick<PartRow, 'id' | 'withdrawalId' | 'number' | 'units' | 'assetsMicros' | 'intentId' | 'payoutId'>,
): Promise<void> {
  await tx
    .insertInto('earnParts')
    .values({ ...part, paidReference: null })
    .execute();
}

export async function findPart(db: Db, id: string): Promise<PartRow | undefined> {
  const row = await db.selectFrom('earnParts').selectAll().where('id', '=', id).executeTakeFirst();
  return row && exact(row);
}

/** False when it was marked before. */
export async function markPartPaid(tx: Tx, id: string, reference: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('earnParts')
    .set({ paidReference: reference })
    .where('id', '=', id)
    .where('paidReference', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export interface ShownPart extends PartRow {
  readonly redeemReference: string | null;
  readonly payoutState: string | null;
  readonly sentReference: string | null;
}

export async function listParts(db: Db, withdrawalIds: readonly string[]): Promise<ShownPart[]> {
  if (withdrawalIds.length === 0) return [];
  const { rows } = await sql<ShownPart>`
    select p.*, i.reference as redeem_reference, o.state as payout_state,
      coalesce(p.paid_reference, (select a.reference from outgoing_attempts a
        where a.intent_id = p.payout_id and a.state in ('sent', 'unknown', 'confirmed') order by a.number desc limit 1)) as sent_reference
    from earn_parts p join earn_intents i on i.id = p.intent_id left join payouts o on o.id = p.payout_id
    where p.withdrawal_id = any(${sql.val([...withdrawalIds])}::text[]) order by p.withdrawal_id, p.number`.execute(db);
  return rows.map((row) => exact(row) as ShownPart);
}

export interface QueuePlace {
  readonly id: string;
  readonly place: number;
  readonly unitsAhead: bigint;
}

/** The places of these withdrawals in the queues of their vaults. */
export async function readPlaces(db: Db, withdrawals: readonly Pick<WithdrawalRow, 'id'>[]): Promise<ReadonlyMap<string, QueuePlace>> {
  if (withdrawals.length === 0) return new Map();
  const { rows } = await sql<{ id: string; place: number; ahead: string }>`
    select w.id, (q.count + 1)::int as place, q.units::text as ahead
    from earn_withdrawals w cross join lateral (
      select count(*) as count, coalesce(sum(units_left), 0) as units from earn_withdrawals q
      where q.vault_key = w.vault_key and q.status in ('queued', 'redeeming') and q.queue_number < w.queue_number) q
    where w.id = any(${sql.val(withdrawals.map(({ id }) => id))}::text[]) and w.status in ('queued', 'redeeming')`.execute(db);
  return new Map(rows.map(({ id, place, ahead }) => [id, { id, place, unitsAhead: BigInt(ahead) }]));
}

/** The number of open withdrawals per vault. */
export async function countWaiting(db: Db): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ key: string; count: number }>`
    select vault_key as key, count(*)::int as count from earn_withdrawals where status in ('queued', 'redeeming') group by vault_key`.execute(
    db,
  );
  return new Map(rows.map(({ key, count }) => [key, count]));
}

/** Units that the venue paid within the last week, to estimate how long a queue takes. */
export async function readRecentlyFreed(db: Db, vaultKey: string): Promise<bigint> {
  const { rows } = await sql<{ units: string }>`
    select coalesce(sum(p.units), 0)::text as units from earn_parts p join earn_withdrawals w on w.id = p.withdrawal_id
    where w.vault_key = ${vaultKey} and p.created_at > market_now() - interval '7 days'`.execute(db);
  return BigInt(rows[0]?.units ?? '0');
}
