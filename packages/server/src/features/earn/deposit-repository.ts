/** The SQL of deposits. Every change names the status that it starts from. */
import type { EarnDepositStatus, NetworkName } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { EarnDepositsTable } from '../../platform/db/schema.generated.ts';
import { type Exact, exact } from './exact-rows.ts';
import type { Owner } from './vault-repository.ts';

export type DepositRow = Omit<Exact<Selectable<EarnDepositsTable>>, 'network'> & { readonly network: NetworkName };

type NewDeposit = Pick<DepositRow, 'id' | 'vaultKey' | 'network' | 'reference' | 'payer' | 'amountMicros' | 'slippageBps'>;

export async function insertDeposit(tx: Tx, owner: Owner, deposit: NewDeposit): Promise<void> {
  await tx
    .insertInto('earnDeposits')
    .values({
      ...deposit,
      ownerKind: owner.kind,
      ownerId: owner.id,
      reason: null,
      deployReference: null,
      refundReference: null,
      settledAt: null,
    })
    .execute();
}

export async function findDeposit(db: Db, id: string): Promise<DepositRow | undefined> {
  const row = await db.selectFrom('earnDeposits').selectAll().where('id', '=', id).executeTakeFirst();
  return row && (exact(row) as DepositRow);
}

export async function listDeposits(db: Db, ids: readonly string[]): Promise<DepositRow[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('earnDeposits')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return rows.map((row) => exact(row) as DepositRow);
}

export interface DepositChange {
  readonly reason?: string | null;
  readonly units?: bigint;
  readonly shares?: bigint;
  readonly deployReference?: string;
  readonly refundReference?: string | null;
}

/** Compare-and-set; false when the deposit is no longer in `from`. */
export async function moveDeposit(
  tx: Tx,
  id: string,
  from: EarnDepositStatus,
  to: EarnDepositStatus,
  change: DepositChange = {},
): Promise<boolean> {
  const settledAt = to === 'deployed' || to === 'refunded' ? sql<Date>`market_now()` : null;
  const { numUpdatedRows } = await tx
    .updateTable('earnDeposits')
    .set({ ...change, status: to, settledAt, updatedAt: sql`market_now()` })
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Deposits that still need a step, the longest untouched first. */
export async function listOpenDeposits(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('earnDeposits')
    .select('id')
    .where('status', 'in', ['received', 'deploying'])
    .orderBy('updatedAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function listHeldDeposits(db: Db): Promise<DepositRow[]> {
  const rows = await db.selectFrom('earnDeposits').selectAll().where('status', '=', 'held').orderBy('createdAt').limit(200).execute();
  return rows.map((row) => exact(row) as DepositRow);
}

/** The wallet that paid the owner's last deposit into this network. */
export async function findLastPayer(db: Db, owner: Owner, network: NetworkName): Promise<string | undefined> {
  const row = await db
    .selectFrom('earnDeposits')
    .select('payer')
    .where('ownerKind', '=', owner.kind)
    .where('ownerId', '=', owner.id)
    .where('network', '=', network)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.payer;
}
