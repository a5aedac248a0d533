/** The SQL of wallets that a caller may spend from. */
import type { AgentId, NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface SpendableWallet {
  readonly address: string;
  readonly by: 'signature' | 'session' | 'link' | 'server_wallet' | 'allowed';
}

/** Links confirmed by the wallet's message or by the identity provider. A contract wallet counts on the networks where it confirmed. */
export async function listConfirmedWallets(db: Db, userId: string, network?: NetworkName): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from user_wallets
    where user_id = ${userId} and confirmed_at is not null
      and (proven_on is null or ${network ?? null}::text is null or exists (select 1 from unnest(proven_on) place where split_part(place, '=', 1) = ${network}))`.execute(
    db,
  );
  return rows.map(({ address }) => address);
}

/** The agent's own wallets, and wallets whose owner allowed the agent to pay from them. */
export async function listWalletsForAgent(db: Db, agentId: AgentId, network: NetworkName): Promise<SpendableWallet[]> {
  const { rows } = await sql<SpendableWallet>`
    select address, 'server_wallet' as by from agent_wallets where agent_id = ${agentId}
    union all
    select address, 'allowed' from agent_payers
    where agent_id = ${agentId} and (proven_on is null or ${network} = any (proven_on))`.execute(db);
  return rows;
}
