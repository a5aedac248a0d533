/** The SQL of wallets whose owner lets an agent pay from them. */
import type { AgentId } from '@market/contract';
import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { AgentPayersTable } from '../../platform/db/schema.generated.ts';

export type PayerRow = Selectable<AgentPayersTable>;

export async function listPayers(db: Db, agentId: AgentId): Promise<PayerRow[]> {
  return await db.selectFrom('agentPayers').selectAll().where('agentId', '=', agentId).orderBy('allowedAt').orderBy('address').execute();
}

/** Whether the wallet allows the agent. Locks the permission until the transaction ends. */
export async function holdPermission(tx: Tx, agentId: AgentId, address: string): Promise<boolean> {
  const row = await tx
    .selectFrom('agentPayers')
    .select('address')
    .where('agentId', '=', agentId)
    .where('address', '=', address)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores the permission, or renews its proof. Returns false if the wallet already allowed this agent. */
export async function insertPayer(tx: Tx, payer: Insertable<AgentPayersTable>): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    insert into agent_payers as p (agent_id, address, chain, proven_on, allowed_at, allowed_by)
    values (${payer.agentId}, ${payer.address}, ${payer.chain}, ${payer.provenOn ?? null}, ${payer.allowedAt}, ${payer.allowedBy})
    on conflict (agent_id, address) do update set proven_on = excluded.proven_on
    returning xmax = 0 as "isNew"`.execute(tx);
  return rows[0]?.isNew === true;
}

/** Locks the agent's permissions against concurrent changes. */
export async function lockPayers(tx: Tx, agentId: AgentId): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('agent_payers ' || ${agentId}, 0))`.execute(tx);
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from agent_payers where agent_id = ${agentId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Ends one permission, or all of an agent. Returns those that ended. */
export async function deletePayers(tx: Tx, agentId: AgentId, address?: string): Promise<PayerRow[]> {
  const all = tx.deleteFrom('agentPayers').where('agentId', '=', agentId).returningAll();
  return await (address === undefined ? all : all.where('address', '=', address)).execute();
}
