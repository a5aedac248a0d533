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
  return walletsOf(await readWalletsOfAgents(db, [agentId]), agentId);
}

interface AgentWallet {
  readonly agentId: AgentId;
  readonly kind: WalletKind;
  readonly address: string;
}

export async function readWalletsOfAgents(db: Db, agentIds: readonly AgentId[]): Promise<readonly AgentWallet[]> {
  if (agentIds.length === 0) return [];
  return await db
    .selectFrom('agentWallets')
    .select(['agentId', 'kind', 'address'])
    .where('agentId', 'in', [...agentIds])
    .execute();
}

export function walletsOf(wallets: readonly AgentWallet[], agentId: AgentId): Record<WalletKind, string> {
  const addressOf = (kind: WalletKind): string => wallets.find((row) => row.agentId === agentId && row.kind === kind)?.address ?? '';
  return { solana: addressOf('solana'), evm: addressOf('evm') };
}
