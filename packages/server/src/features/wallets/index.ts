/** Custodial wallets of agents, one per kind of chain: the last place a payout can go, so that it always has one. */
import type { AgentId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { newWalletKey, type WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import { insertAgentWallet } from './repository.ts';

const kinds: readonly WalletKind[] = ['solana', 'evm'];

/** Every agent gets its wallets with its registration. The keys are sealed before they touch the database. */
export async function provisionWallets(tx: Tx, secrets: SecretBox, agentId: AgentId): Promise<void> {
  for (const kind of kinds) {
    const { address, secret } = newWalletKey(kind);
    await insertAgentWallet(tx, { agentId, kind, address, sealedKey: secrets.seal(secret, `agent_wallets/${agentId}/${kind}/${address}`) });
  }
}

export { type PayableAgent, payoutDestination } from './payout-destination.ts';
export { readAgentWallets, readWalletsOfAgents, walletsOf } from './repository.ts';
