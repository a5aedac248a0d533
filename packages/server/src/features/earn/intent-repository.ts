/** The SQL of intents: what the treasury asks of a venue, and the signed bytes of each. Every change of state says which one it comes from. */
import type { NetworkName } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { EarnIntentsTable } from '../../platform/db/schema.generated.ts';
import { insertFoundAttempt, openStates, signedStates } from '../outgoing/index.ts';
import { type Exact, exact } from './exact-units.ts';

export type IntentRow = Omit<Exact<Selectable<EarnIntentsTable>>, 'network'> & { readonly network: NetworkName };
type IntentState = IntentRow['state'];

type NewIntent = Pick<IntentRow, 'id' | 'kind' | 'vaultKey' | 'subjectId' | 'network' | 'router' | 'venue'> & {
  readonly assets?: bigint;
  readonly units?: bigint;
  /** Of a redemption, the place of its withdrawal. */
  readonly queueNumber?: bigint;
};

const NOTHING_YET = { minOut: null, reason: null, reference: null, resultAssets: null, resultUnits: null } as const;

/** False when another process ordered it. */
export async function insertIntent(tx: Tx, intent: NewIntent): Promise<boolean> {
  return (await insertIntents(tx, [intent])) === 1;
}

/** How many of them nobody had ordered. */
export async function insertIntents(tx: Tx, intents: readonly NewIntent[]): Promise<number> {
  const rows = intents.map(({ assets = null, units = null, queueNumber = null, ...intent }) => ({
    ...{ ...intent, ...NOTHING_YET },
    ...{ assets, units, queueNumber },
  }));
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('earnIntents')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows);
}

export async function findIntent(db: Db, id: string): Promise<IntentRow | undefined> {
  const row = await db.selectFrom('earnIntents').selectAll().where('id', '=', id).executeTakeFirst();
  return row && (exact(row) as IntentRow);
}

/** What is under way for a deposit, a withdrawal or a vault. */
export async function findOpenIntent(
  db: Db,
  of: { readonly subjectId: string } | { readonly vaultKey: string; readonly kind: IntentRow['kind'] },
) {
  let query = db
    .selectFrom('earnIntents')
    .selectAll()
    .where('state', 'in', [...openStates]);
  query =
    'subjectId' in of ? query.where('subjectId', '=', of.subjectId) : query.where('vaultKey', '=', of.vaultKey).where('kind', '=', of.kind);
  const row = await query.limit(1).executeTakeFirst();
  return row && (exact(row) as IntentRow);
}

/** The deploy of a deposit that the venue took. */
export async function findDeployed(db: Db, depositId: string): Promise<IntentRow | undefined> {
  const row = await db
    .selectFrom('earnIntents')
    .selectAll()
    .where('subjectId', '=', depositId)
    .where('kind', '=', 'deposit')
    .where('state', '=', 'confirmed')
    .executeTakeFirst();
  return row && (exact(row) as IntentRow);
}

/** Redemptions that may take units out of the venue. */
export async function listRedeeming(db: Db, vaultKey: string): Promise<readonly { readonly id: string; readonly units: bigint }[]> {
  const rows = await db
    .selectFrom('earnIntents')
    .select(['id', 'units'])
    .where('vaultKey', '=', vaultKey)
    .where('kind', '=', 'redeem')
    .where('state', 'in', [...openStates])
    .execute();
  return rows.map(({ id, units }) => ({ id, units: BigInt(units ?? 0) }));
}

/** So many calls were ordered for each, refused ones, too. */
export async function countIntentsOfEach(db: Db, subjectIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (subjectIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('earnIntents')
    .select(['subjectId', sql<number>`count(*)::int`.as('count')])
    .where('subjectId', 'in', [...subjectIds])
    .groupBy('subjectId')
    .execute();
  return new Map(rows.map(({ subjectId, count }) => [subjectId, count]));
}

export async function countIntentsOf(db: Db, subjectId: string): Promise<number> {
  const row = await db
    .selectFrom('earnIntents')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('subjectId', '=', subjectId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** The most parts that a withdrawal of this vault has. */
export async function readMostParts(db: Db, vaultKey: string): Promise<number> {
  const { rows } = await sql<{ most: number }>`
    select coalesce(max(parts), 0) as most from (
      select count(*)::int as parts from earn_intents where vault_key = ${vaultKey} and kind = 'redeem' group by subject_id) counted`.execute(
    db,
  );
  return rows[0]?.most ?? 0;
}

export interface IntentChange {
  readonly state: IntentState;
  readonly reason?: string | null;
  readonly reference?: string;
  readonly minOut?: bigint;
  readonly resultAssets?: bigint;
  readonly resultUnits?: bigint;
}

/** Compare-and-set; false when the intent is no longer in one of `from`. */
export async function moveIntent(tx: Tx, id: string, from: readonly IntentState[], to: IntentChange): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('earnIntents')
    .set({ ...to, updatedAt: sql`market_now()` })
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function listOpenIntents(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('earnIntents')
    .select('id')
    .where('state', 'in', [...openStates])
    .orderBy('updatedAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** `market reconcile` found the transfer of this intent on chain, and no books know it yet. */
export async function isUnbooked(db: Db, intentKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('unbookedOutflows')
    .select('intentKey')
    .where('intentKey', '=', intentKey)
    .where('payoutId', 'is', null)
    .where('intentId', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** What left for one of these names, and no intent has taken. */
export async function findUnbookedDeploy(db: Db, intentKeys: readonly string[]) {
  return await db
    .selectFrom('unbookedOutflows')
    .select(['intentKey', 'reference', 'amountMicros'])
    .where('intentKey', 'in', [...intentKeys])
    .where('payoutId', 'is', null)
    .where('intentId', 'is', null)
    .limit(1)
    .executeTakeFirst();
}

/** True when `market reconcile` found the transfer of this intent on chain: books were restored. It then belongs to the intent. */
export async function takeUnbooked(tx: Tx, intentId: string, intentKey: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('unbookedOutflows')
    .set({ intentId })
    .where('intentKey', '=', intentKey)
    .where('payoutId', 'is', null)
    .where('intentId', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** It was never signed. What it asked for is ordered anew under the same name. */
export async function dropUnsignedIntent(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from earn_intents i where id = ${id} and state = 'queued'
      and not exists (select 1 from outgoing_attempts a where a.intent_id = i.id) returning id`.execute(tx);
  return rows.length === 1;
}

/** A redemption of lost books, as the chain shows it: whatever was asked under its name, this was carried out. */
export async function insertFoundIntent(tx: Tx, intent: NewIntent & { readonly units: bigint }, landed: FoundResult): Promise<void> {
  const { reference, assets: resultAssets, units: resultUnits } = landed;
  await sql`
    insert into earn_intents (id, kind, vault_key, subject_id, network, router, venue, units, state, reference, result_assets, result_units)
    values (${intent.id}, ${intent.kind}, ${intent.vaultKey}, ${intent.subjectId}, ${intent.network}, ${intent.router}, ${intent.venue},
      ${resultUnits}, 'confirmed', ${reference}, ${resultAssets}, ${resultUnits})
    on conflict (id) do update set state = 'confirmed', reference = excluded.reference, reason = null, units = excluded.units, min_out = null,
      result_assets = excluded.result_assets, result_units = excluded.result_units, updated_at = market_now()`.execute(tx);
  await insertFoundAttempt(tx, intent.id, reference);
}

interface FoundResult {
  readonly reference: string;
  readonly assets: bigint;
  readonly units: bigint;
}

/** Redemptions on their way, whose own look-up finds them. */
export async function listOpenRedeems(db: Db, vaultKey: string): Promise<string[]> {
  const rows = await db
    .selectFrom('earnIntents')
    .select('id')
    .where('vaultKey', '=', vaultKey)
    .where('kind', '=', 'redeem')
    .where('state', 'in', [...signedStates])
    .execute();
  return rows.map(({ id }) => id);
}

/** What the books hold for a deploy. */
export async function readReserved(db: Db, { id, network }: Pick<IntentRow, 'id' | 'network'>): Promise<bigint> {
  const row = await db
    .selectFrom('ledgerAccounts')
    .select('balanceMicros')
    .where('kind', '=', 'in_flight')
    .where('owner', '=', id)
    .where('network', '=', network)
    .executeTakeFirst();
  return row?.balanceMicros ?? 0n;
}
