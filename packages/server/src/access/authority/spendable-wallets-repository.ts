/** The SQL of wallets that a caller may spend from. */
import type { AgentId } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import type { SpendableWallet } from './spendable-wallets.ts';

/** Links that the wallet agreed to by message, or that the identity provider vouches for. */
export async function listConfirmedWallets(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('userWallets')
    .select('address')
    .where('userId', '=', userId)
    .where('confirmedAt', 'is not', null)
    .execute();
  return rows.map(({ address }) => address);
}

/** The agent's own wallets. */
export async function listWalletsForAgent(db: Db, agentId: AgentId): Promise<SpendableWallet[]> {
  const rows = await db.selectFrom('agentWallets').select('address').where('agentId', '=', agentId).execute();
  return rows.map(({ address }) => ({ address, by: 'server_wallet' as const }));
}
