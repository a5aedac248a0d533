/** The SQL of deposits out of agents' server wallets, and of sweeps, the owners' rules that make them. */
import type { AgentId } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { EarnAgentDepositsTable, EarnSweepsTable } from '../../platform/db/schema.generated.ts';

export type AgentDepositRow = Selectable<EarnAgentDepositsTable>;
export type SweepRow = Selectable<EarnSweepsTable>;

export async function insertAgentDeposit(
  tx: Tx,
  row: Pick<AgentDepositRow, 'movementId' | 'agentId' | 'vaultKey' | 'amountMicros' | 'slippageBps' | 'bySweep'>,
): Promise<void> {
  await tx
    .insertInto('earnAgentDeposits')
    .values({ ...row, depositId: null, reason: null })
    .execute();
}

export async function findAgentDeposit(db: Db, movementId: string): Promise<AgentDepositRow | undefined> {
  return await db.selectFrom('earnAgentDeposits').selectAll().where('movementId', '=', movementId).executeTakeFirst();
}

/** False when it ended before. */
export async function endAgentDeposit(
  tx: Tx,
  movementId: string,
  end: {
    readonly state: 'registered' | 'failed';
    readonly depositId?: string;
    readonly amountMicros?: bigint;
    readonly reason?: string;
  },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('earnAgentDeposits')
    .set(end)
    .where('movementId', '=', movementId)
    .where('state', '=', 'open')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function listOpenAgentDeposits(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('earnAgentDeposits')
    .select('movementId')
    .where('state', '=', 'open')
    .orderBy('createdAt')
    .limit(limit)
    .execute();
  return rows.map(({ movementId }) => movementId);
}

export async function findSweep(db: Db, agentId: AgentId): Promise<SweepRow | undefined> {
  return await db.selectFrom('earnSweeps').selectAll().where('agentId', '=', agentId).executeTakeFirst();
}

export async function saveSweep(
  tx: Tx,
  sweep: Pick<SweepRow, 'agentId' | 'vaultKey' | 'aboveMicros' | 'dailyLimitMicros' | 'enabled' | 'setBy'>,
) {
  const { agentId, ...rule } = sweep;
  await tx
    .insertInto('earnSweeps')
    .values({ ...sweep, lastProblem: null })
    .onConflict((conflict) => conflict.column('agentId').doUpdateSet({ ...rule, lastProblem: null, updatedAt: sql`market_now()` }))
    .execute();
}

export async function stopSweep(tx: Tx, agentId: AgentId, setBy: string): Promise<void> {
  await tx
    .updateTable('earnSweeps')
    .set({ enabled: false, setBy, lastProblem: null, updatedAt: sql`market_now()` })
    .where('agentId', '=', agentId)
    .execute();
}

/** After a restore: owners may have stopped their sweeps since the backup. Returns the agents. */
export async function stopAllSweeps(tx: Tx, lastProblem: string): Promise<readonly AgentId[]> {
  const rows = await tx
    .updateTable('earnSweeps')
    .set({ enabled: false, lastProblem, updatedAt: sql`market_now()` })
    .where('enabled', '=', true)
    .returning('agentId')
    .execute();
  return rows.map(({ agentId }) => agentId as AgentId);
}

export async function noteSweepProblem(db: Db, agentId: string, lastProblem: string | null): Promise<void> {
  await db
    .updateTable('earnSweeps')
    .set({ lastProblem })
    .where('agentId', '=', agentId)
    .where(sql<boolean>`last_problem is distinct from ${lastProblem}`)
    .execute();
}

export async function listEnabledSweeps(db: Db): Promise<SweepRow[]> {
  return await db.selectFrom('earnSweeps').selectAll().where('enabled', '=', true).orderBy('agentId').execute();
}

/** The sum that sweeps moved within the last day, without failed ones. */
export async function readSwept(db: Db, agentId: string): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(amount_micros), 0)::bigint as micros from earn_agent_deposits
    where agent_id = ${agentId} and by_sweep and state <> 'failed' and created_at > market_now() - interval '1 day'`.execute(db);
  return rows[0]?.micros ?? 0n;
}

/** True if one of these wallets paid the treasury in this transaction, and no movement in the books explains it. */
export async function hasFoundTransfer(
  db: Db,
  of: { readonly network: string; readonly reference: string; readonly wallets: readonly string[]; readonly treasury: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('foundOutflows')
    .select('reference')
    .where('network', '=', of.network)
    .where('reference', '=', of.reference)
    .where('asset', '=', 'usdc')
    .where('destination', '=', of.treasury)
    .where(sql<string>`split_part(holder, '/', 2)`, 'in', [...of.wallets])
    .where('takenBy', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
