/** Power `fund`: the owner spends from the agent's wallet on a fixed purpose. */
import { MarketError, type WalletActor } from '@market/contract';
import { mayFund, ownerProofMissing } from '../../access/authority/owners.ts';
import type { Call } from '../../access/call.ts';
import { isOwner } from '../../access/ownership.ts';
import { type AgentRow, findAgent } from '../agents/index.ts';
import type { CustodyContext } from './custody-context.ts';

/** 404, 403 and 401 come before anything about the wallet is looked at. */
export async function requireFunder(
  { database: { db } }: CustodyContext,
  call: Call,
  idOrSlug: string,
): Promise<{ readonly agent: AgentRow; readonly by: WalletActor }> {
  const { caller } = call;
  const agent = await findAgent(db, idOrSlug);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (!isOwner(caller, agent)) throw new MarketError('forbidden', { message: 'Only the owner of this agent may do this.' });
  if (!mayFund(caller, agent)) throw ownerProofMissing(caller, agent);
  const isOwnerWallet = agent.ownerWallet !== null && caller.wallet?.address === agent.ownerWallet;
  if (isOwnerWallet && caller.wallet?.proof === 'custody') await call.requireCustodySignature(db, caller.wallet.address);
  return { agent, by: isOwnerWallet ? 'owner_wallet' : 'owner_account' };
}
