/** Custodial wallets of agents, one per kind of chain: the last place a payout can go, so that it always has one. */
import type { AgentId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { newWalletKey, type WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import { findAgentWallet, insertAgentWallet } from './repository.ts';

/** The agent's own address of that kind, made on first need. */
export async function ensureAgentWallet(tx: Tx, secrets: SecretBox, agentId: AgentId, kind: WalletKind): Promise<string> {
  const known = await findAgentWallet(tx, agentId, kind);
  if (known !== undefined) return known;
  const { address, secret } = newWalletKey(kind);
  const sealedKey = secrets.seal(secret, `agent_wallets/${agentId}/${kind}/${address}`);
  return await insertAgentWallet(tx, { agentId, kind, address, sealedKey });
}
