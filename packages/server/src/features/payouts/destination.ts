/** Where the money of an agent goes on a network: its payout address there, else its owner's wallet of that kind, else its own. */
import { type AgentId, chainOfAddress, type NetworkName, networkFacts } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { ensureAgentWallet } from '../wallets/index.ts';

export interface PayableAgent {
  readonly id: AgentId;
  readonly payoutWallet: string | null;
  readonly payoutAddressBase: string | null;
  readonly ownerWallet: string | null;
}

export async function payoutDestination(tx: Tx, secrets: SecretBox, agent: PayableAgent, network: NetworkName): Promise<string> {
  const { kind } = networkFacts[network];
  const chosen = kind === 'solana' ? agent.payoutWallet : agent.payoutAddressBase;
  if (chosen !== null) return chosen;
  const ownerKind = agent.ownerWallet === null ? undefined : chainOfAddress(agent.ownerWallet) === 'base' ? 'evm' : 'solana';
  if (agent.ownerWallet !== null && ownerKind === kind) return agent.ownerWallet;
  return await ensureAgentWallet(tx, secrets, agent.id, kind);
}
