/** The address for an agent's money on a network: its payout address there, else its owner's wallet of that kind, else its own. */
import { chainOfAddress, type NetworkName, networkFacts } from '@market/contract';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';

export interface PayableAgent {
  readonly payoutWallet: string | null;
  readonly payoutAddressBase: string | null;
  readonly ownerWallet: string | null;
}

export function payoutDestination(agent: PayableAgent, ownWallets: Readonly<Record<WalletKind, string>>, network: NetworkName): string {
  const { kind } = networkFacts[network];
  const chosen = kind === 'solana' ? agent.payoutWallet : agent.payoutAddressBase;
  if (chosen !== null) return chosen;
  if (agent.ownerWallet !== null && kindOf(agent.ownerWallet) === kind) return agent.ownerWallet;
  return ownWallets[kind];
}

function kindOf(address: string): WalletKind {
  return chainOfAddress(address) === 'base' ? 'evm' : 'solana';
}
