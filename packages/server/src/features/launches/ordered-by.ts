import type { WalletActor } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { AgentRow } from '../agents/index.ts';

/** The credential that ordered it, for the custody log. The owner's counts before the agent's. */
export function orderedBy({ wallet, user }: Caller, { ownerWallet }: Pick<AgentRow, 'ownerWallet'>): WalletActor {
  if (wallet !== undefined && wallet.address === ownerWallet) return 'owner_wallet';
  return user === undefined ? 'agent_key' : 'owner_account';
}
