/** The SQL of wallets that belong to an agent. */
import { sql } from 'kysely';
import type { AgentCaller } from '../../access/caller.ts';
import type { Db } from '../../platform/db/database.ts';

/** The owner's wallets and the agent's own, as withdrawals of Earn ask for them. Who may spend asks `spendableWallets` instead. */
export async function listWalletsOfAgent(
  db: Db,
  { id, ownerWallet, ownerUserId }: Pick<AgentCaller, 'id' | 'ownerWallet' | 'ownerUserId'>,
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from agent_wallets where agent_id = ${id}
    union all
    select address from user_wallets where user_id = ${ownerUserId}`.execute(db);
  return [...(ownerWallet === null ? [] : [ownerWallet]), ...rows.map(({ address }) => address)];
}
