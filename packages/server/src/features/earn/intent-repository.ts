/** The SQL of intents: the calls that the treasury makes to venues. Every change names the state that it starts from. */
import type { NetworkName } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { EarnIntentsTable } from '../../platform/db/schema.generated.ts';
import { type IntentChange, insertFoundAttempt, moveIntent as moveOutgoing, openStates, signedStates } from '../outgoing/index.ts';
import { type Exact, exact } from './exact-rows.ts';

export type IntentRow = Omit<Exact<Selectable<EarnIntentsTable>>, 'network'> & { readonly network: NetworkName };
type IntentState = IntentRow['state'];

type NewIntent = Pick<IntentRow, 'id' | 'kind' | 'vaultKey' | 'subjectId' | 'network' | 'router' | 'venue'> & {
  readonly assets?: bigint;
  readonly units?: bigint;
  /** For a redemption: the queue number of its withdrawal. */
  readonly queueNumber?: bigint;
};

/** False when another process inserted it. */
export async function insertIntent(tx: Tx, intent: NewIntent): Promise<boolean> {
  return (await insertIntents(tx, [intent])) === 1;
}

/** Returns how many were new. */
export async function insertIntents(tx: Tx, intents: readonly NewIntent[]): Promise<number> {
  const ordered = intents.map(({ id, kind, subjectId, network, router: destination, assets: amount = null }) => ({
    ...{ id, purpose: `venue_${kind}` as const, subjectId, network, destination, amount },
  }));
  const calls = intents.map(({ id, kind, vaultKey, venue, units, queueNumber }) => ({
    ...{ id, kind, vault_key: vaultKey, venue },
    ...{ units: units?.toString() ?? null, queue_number: queueNumber?.toString() ?? null },
  }));
  const { numInsertedOrUpdatedRows } = await tx
    .with('ordered', (db) =>
      db
        .insertInto('outgoingIntents')
        .values(ordered)
        .onConflict((conflict) => conflict.doNothing())
        .returning('id'),
    )
    .insertInto('venueCalls')
    .expression(sql`select c.* from jsonb_populate_recordset(null::venue_calls, ${JSON.stringify(calls)}::jsonb) c join ordered using (id)`)
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows);
}

export async function findIntent(db: Db, id: string): Promise<IntentRow | undefined> {
  const row = await db.selectFrom('earnIntents').selectAll().where('id', '=', id).executeTakeFirst();
  return row && (exact(row) as IntentRow);
}

/** The open call of a deposit, a withdrawal or a vault. */
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

/** The confirmed deploy of a deposit. */
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

/** Calls per subject so far, refused ones included. */
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

/** The largest number of redemptions that a withdrawal of this vault has. */
export async function readMostParts(db: Db, vaultKey: string): Promise<number> {
  const { rows } = await sql<{ most: number }>`
    select coalesce(max(parts), 0) as most from (
      select count(*)::int as parts from earn_intents where vault_key = ${vaultKey} and kind = 'redeem' group by subject_id) counted`.execute(
    db,
  );
  return rows[0]?.most ?? 0;
}

interface CallChange {
  readonly minOut?: bigint;
  readonly resultAssets?: bigint;
  readonly resultUnits?: bigint;
}

/** Compare-and-set; false when the intent is no longer in one of `from`. */
export async function moveIntent(
  tx: Tx,
  id: string,
  from: readonly IntentState[],
  { minOut, resultAssets, resultUnits, ...to }: IntentChange & CallChange & { readonly state: IntentState },
): Promise<boolean> {
  if (!(await moveOutgoing(tx, id, from, to))) return false;
  const call = {
    ...(minOut !== undefined && { minOut }),
    ...(resultAssets !== undefined && { resultAssets }),
    ...(resultUnits !== undefined && { resultUnits }),
  };
  if (Object.keys(call).length > 0) await tx.updateTable('venueCalls').set(call).where('id', '=', id).execute();
  return true;
}

/** True if `market reconcile` found the transfer of this intent on chain and no intent has taken it. */
export async function isUnbooked(db: Db, intentKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('unbookedOutflows')
    .select('intentKey')
    .where('intentKey', '=', intentKey)
    .where('intentId', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export type UnbookedDeploy = NonNullable<Awaited<ReturnType<typeof findUnbookedDeploy>>>;

/** A transfer under one of these names that lost books made: found on chain, taken by no intent. */
export async function findUnbookedDeploy(db: Db, intentKeys: readonly string[]) {
  return await db
    .selectFrom('unbookedOutflows')
    .select(['intentKey', 'reference', 'amountMicros'])
    .where('intentKey', 'in', [...intentKeys])
    .where('intentId', 'is', null)
    .limit(1)
    .executeTakeFirst();
}

/** Gives the intent its transfer that `market reconcile` found on chain. False: there is none, the usual case without a restore. */
export async function takeUnbooked(tx: Tx, intentId: string, intentKey: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('unbookedOutflows')
    .set({ intentId })
    .where('intentKey', '=', intentKey)
    .where('intentId', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes an intent that was never signed, so that its name is free again. */
export async function dropUnsignedIntent(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    with gone as (
      delete from outgoing_intents i where id = ${id} and state = 'queued'
        and not exists (select 1 from outgoing_attempts a where a.intent_id = i.id) returning id)
    delete from venue_calls c using gone where c.id = gone.id returning c.id`.execute(tx);
  return rows.length === 1;
}

/** Stores a lost redemption as the chain shows it, in place of what was requested under its name. */
export async function insertFoundIntent(tx: Tx, intent: NewIntent & { readonly units: bigint }, landed: FoundResult): Promise<void> {
  const { reference, assets: resultAssets, units: resultUnits } = landed;
  const { id, kind, vaultKey, subjectId, network, router: destination, venue } = intent;
  const confirmed = { state: 'confirmed', reference } as const;
  await tx
    .insertInto('outgoingIntents')
    .values({ id, purpose: `venue_${kind}`, subjectId, network, destination, ...confirmed })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...confirmed, reason: null, updatedAt: sql`market_now()` }))
    .execute();
  const found = { units: resultUnits, resultAssets, resultUnits };
  await tx
    .insertInto('venueCalls')
    .values({ id, kind, vaultKey, venue, ...found })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...found, minOut: null }))
    .execute();
  await insertFoundAttempt(tx, intent.id, reference);
}

interface FoundResult {
  readonly reference: string;
  readonly assets: bigint;
  readonly units: bigint;
}

/** Signed redemptions: their own look-up finds them on chain. */
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

/** The amount that the ledger reserves for a deploy. */
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
