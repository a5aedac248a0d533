import type { AgentId } from '@market/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';

export async function insertAgentWallet(
  tx: Tx,
  wallet: { agentId: AgentId; kind: WalletKind; address: string; sealedKey: string },
): Promise<void> {
  await tx.insertInto('agentWallets').values(wallet).execute();
}

/** The agent's own addresses; an empty text for a kind it has none of. */
export async function readAgentWallets(db: Db, agentId: AgentId): Promise<Record<WalletKind, string>> {
  const rows = await db.selectFrom('agentWallets').select(['kind', 'address']).where('agentId', '=', agentId).execute();
  const addressOf = (kind: WalletKind): string => rows.find((row) => row.kind === kind)?.address ?? '';
  return { solana: addressOf('solana'), evm: addressOf('evm') };
}
