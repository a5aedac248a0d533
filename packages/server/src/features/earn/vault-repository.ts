/** The SQL of vaults, positions and their history. A vault's row is locked before its book changes. */
import { type Book, vest } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { EarnMovementsTable, EarnPositionsTable, EarnVaultsTable } from '../../platform/db/schema.generated.ts';
import { type Exact, exact } from './exact-rows.ts';
import { endHarvests, harvestsOfVault, listHarvests, readHarvests, writeHarvests } from './harvest-repository.ts';

export type VaultRow = Exact<Selectable<EarnVaultsTable>>;
export type PositionRow = Exact<Selectable<EarnPositionsTable>>;
export type OwnerKind = PositionRow['ownerKind'];

export interface Owner {
  readonly kind: OwnerKind;
  readonly id: string;
}

/** Stores the configured vaults; returns the key of one whose venue changed. */
export async function ensureVaults(
  db: Db,
  vaults: readonly Pick<VaultRow, 'key' | 'venue' | 'market' | 'network' | 'strategy' | 'venueAddress'>[],
): Promise<string | undefined> {
  if (vaults.length === 0) return undefined;
  const rows = vaults.map(({ key, venue, market, network, strategy, venueAddress }) => ({
    key,
    venue,
    market,
    network,
    strategy,
    venueAddress,
  }));
  await db
    .insertInto('earnVaults')
    .values(rows)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const stored = new Map((await listVaults(db)).map((vault) => [vault.key, vault]));
  const moved = rows.find(({ key, network, venueAddress }) => {
    const vault = stored.get(key);
    return vault?.network !== network || vault.venueAddress !== venueAddress;
  });
  return moved?.key;
}

type ReadVault = Selectable<EarnVaultsTable> & { readonly accruing: string | null };

/** The vault as of now: with harvests that accrued since the row was written. */
function asOfNow({ accruing, ...stored }: ReadVault): VaultRow {
  const vault = exact(stored);
  if (accruing === null || vault.unvestedUnits === 0n) return vault;
  const { harvests, now } = readHarvests(accruing);
  const { totalUnits, unvestedUnits } = vest({ book: bookOf(vault), harvests }, now).book;
  return { ...vault, totalUnits, unvestedUnits };
}

export function bookOf({ totalShares, totalUnits, queuedUnits, unvestedUnits }: VaultRow): Book {
  return { totalShares, totalUnits, queuedUnits, unvestedUnits };
}

const selectVaults = (db: Db) => db.selectFrom('earnVaults as v').selectAll('v').select(harvestsOfVault.as('accruing'));

export async function listVaults(db: Db): Promise<VaultRow[]> {
  return (await selectVaults(db).orderBy('v.key').execute()).map(asOfNow);
}

export async function findVault(db: Db, key: string): Promise<VaultRow | undefined> {
  const row = await selectVaults(db).where('v.key', '=', key).executeTakeFirst();
  return row && asOfNow(row);
}

/** Locks the vault and first adds accrued harvests to the pool. */
export async function lockVault(tx: Tx, key: string): Promise<VaultRow> {
  const vault = exact(await tx.selectFrom('earnVaults').selectAll().where('key', '=', key).forUpdate().executeTakeFirstOrThrow());
  if (vault.unvestedUnits === 0n) return vault;
  // Read after the lock: a statement that waits for it would show older harvests.
  const { harvests, now } = await listHarvests(tx, key);
  const after = vest({ book: bookOf(vault), harvests }, now);
  if (after.vestedUnits === 0n) return vault;
  const { totalUnits, unvestedUnits } = after.book;
  // `version` stays: the sum of units is the same, so a running comparison with the chain still holds.
  await tx.updateTable('earnVaults').set({ totalUnits, unvestedUnits }).where('key', '=', key).execute();
  await writeHarvests(tx, after.harvests);
  await insertEarnMovement(tx, { vaultKey: key, kind: 'vest', units: after.vestedUnits, unvestedUnits: -after.vestedUnits });
  return { ...vault, totalUnits, unvestedUnits };
}

/** `before` is the vault as `lockVault` returned it. */
export async function writeBook(tx: Tx, before: VaultRow, { totalShares, totalUnits, queuedUnits, unvestedUnits }: Book): Promise<void> {
  const { key } = before;
  await tx
    .updateTable('earnVaults')
    .set({ totalShares, totalUnits, queuedUnits, unvestedUnits, version: sql`version + 1` })
    .where('key', '=', key)
    .execute();
  if (totalShares > 0n || before.unvestedUnits === 0n) return;
  await endHarvests(tx, key);
  await insertEarnMovement(tx, { vaultKey: key, kind: 'harvest_ended', unvestedUnits: -before.unvestedUnits });
}

export async function setDepositsOpen(tx: Tx, key: string, depositsOpen: boolean): Promise<void> {
  await tx.updateTable('earnVaults').set({ depositsOpen, version: sql`version + 1` }).where('key', '=', key).execute();
}

/** False when the book changed since the comparison, or the number of missing units is the same. */
export async function setImpaired(tx: Tx, { key, version }: Pick<VaultRow, 'key' | 'version'>, unitsMissing: bigint): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('earnVaults')
    .set({ unitsMissing, impairedAt: unitsMissing === 0n ? null : sql<Date>`coalesce(impaired_at, market_now())` })
    .where('key', '=', key)
    .where('version', '=', version)
    .where('unitsMissing', '<>', sql<string>`${unitsMissing}`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function findPosition(db: Db, vaultKey: string, owner: Owner): Promise<PositionRow | undefined> {
  const row = await db
    .selectFrom('earnPositions')
    .selectAll()
    .where('vaultKey', '=', vaultKey)
    .where('ownerKind', '=', owner.kind)
    .where('ownerId', '=', owner.id)
    .executeTakeFirst();
  return row && exact(row);
}

/** The owners who hold or held shares of the vault. */
export async function listOwners(db: Db, vaultKey: string): Promise<Owner[]> {
  const rows = await db.selectFrom('earnPositions').select(['ownerKind', 'ownerId']).where('vaultKey', '=', vaultKey).execute();
  return rows.map(({ ownerKind: kind, ownerId: id }) => ({ kind, id }));
}

/** Adds to the position; the vault must be locked. */
export async function changePosition(
  tx: Tx,
  vaultKey: string,
  owner: Owner,
  change: { readonly shares: bigint; readonly principalMicros: bigint },
): Promise<void> {
  await sql`
    insert into earn_positions as p (vault_key, owner_kind, owner_id, shares, principal_micros)
    values (${vaultKey}, ${owner.kind}, ${owner.id}, ${change.shares}, ${change.principalMicros})
    on conflict (vault_key, owner_kind, owner_id) do update
      set shares = p.shares + excluded.shares, principal_micros = p.principal_micros + excluded.principal_micros, updated_at = market_now()`.execute(
    tx,
  );
}

/** For burns. No upsert: the row exists, and its insert would break the check against negative shares. */
export async function reducePosition(
  tx: Tx,
  vaultKey: string,
  owner: Owner,
  change: { readonly shares: bigint; readonly principalMicros: bigint },
): Promise<void> {
  await sql`
    update earn_positions set shares = shares - ${change.shares}, principal_micros = principal_micros - ${change.principalMicros},
      updated_at = market_now()
    where vault_key = ${vaultKey} and owner_kind = ${owner.kind} and owner_id = ${owner.id}`.execute(tx);
}

export interface ShownPosition extends PositionRow {
  readonly agentName: string | null;
}

/** Positions with shares, of these owners. */
export async function listPositions(db: Db, owners: readonly Owner[]): Promise<ShownPosition[]> {
  if (owners.length === 0) return [];
  const { rows } = await sql<ShownPosition>`
    select p.*, a.name as agent_name
    from unnest(${owners.map(({ kind }) => kind)}::text[], ${owners.map(({ id }) => id)}::text[]) as o (kind, id)
    join earn_positions p on p.owner_kind = o.kind and p.owner_id = o.id
    left join agents a on p.owner_kind = 'agent' and a.id = p.owner_id
    where p.shares > 0 order by p.vault_key, p.owner_kind, p.owner_id`.execute(db);
  return rows.map((row) => exact(row) as ShownPosition);
}

export async function countHolders(db: Db): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ key: string; count: number }>`
    select vault_key as key, count(*)::int as count from earn_positions where shares > 0 group by vault_key`.execute(db);
  return new Map(rows.map(({ key, count }) => [key, count]));
}

type NewMovement = Partial<
  Pick<
    Exact<Selectable<EarnMovementsTable>>,
    'shares' | 'units' | 'queuedUnits' | 'unvestedUnits' | 'principalMicros' | 'micros' | 'subjectId'
  >
> &
  Pick<Selectable<EarnMovementsTable>, 'vaultKey' | 'kind'> & { readonly owner?: Owner };

export async function insertEarnMovement(tx: Tx, { owner, subjectId = null, ...movement }: NewMovement): Promise<void> {
  await tx
    .insertInto('earnMovements')
    .values({ ...movement, subjectId, ownerKind: owner?.kind ?? null, ownerId: owner?.id ?? null })
    .execute();
}
