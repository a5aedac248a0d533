/** The owner of an agent, proven for this very request: by account, or by a custody signature that is used up here. */
import { MarketError, type WalletActor } from '@market/contract';
import type { Call } from '../../access/call.ts';
import { isOwner } from '../../access/ownership.ts';
import { type AgentRow, findAgent, requireOwnerProof } from '../agents/index.ts';
import type { CustodyContext } from './custody-context.ts';

export interface ProvenOwner {
  readonly agent: AgentRow;
  readonly by: WalletActor;
}

/** 404, 403 and 401 come before anything about the wallet is looked at. */
export async function requireOwner({ database }: CustodyContext, call: Call, idOrSlug: string): Promise<ProvenOwner> {
  const agent = await findAgent(database.db, idOrSlug);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (!isOwner(call.caller, agent)) throw new MarketError('forbidden', { message: 'Only the owner of this agent may do this.' });
  const isSigned = await requireOwnerProof(database.db, agent, call);
  return { agent, by: isSigned ? 'owner_wallet' : 'owner_account' };
}
