/** The owner of an agent, proven for this very request: by account, or by a custody signature that is used up here. */
import { MarketError, type WalletActor } from '@market/contract';
import { requireMover } from '../../access/authority/owners.ts';
import type { Call } from '../../access/call.ts';
import type { Person } from '../../access/caller.ts';
import { isOwner } from '../../access/ownership.ts';
import { type AgentRow, findAgent } from '../agents/index.ts';
import type { CustodyContext } from './custody-context.ts';

export interface ProvenOwner {
  readonly agent: AgentRow;
  readonly by: WalletActor;
  /** Who owns the move if it waits. */
  readonly person: Person;
  /** Why the move has to wait; undefined: it leaves at once. */
  readonly wait: string | undefined;
}

/** 404, 403 and 401 come before anything about the wallet is looked at. */
export async function requireOwner(context: CustodyContext, call: Call, idOrSlug: string): Promise<ProvenOwner> {
  const agent = await requireOwned(context, call, idOrSlug);
  return { agent, ...(await requireMover(context.database.db, call, agent, context)) };
}

async function requireOwned({ database }: CustodyContext, { caller }: Call, idOrSlug: string): Promise<AgentRow> {
  const agent = await findAgent(database.db, idOrSlug);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (!isOwner(caller, agent)) throw new MarketError('forbidden', { message: 'Only the owner of this agent may do this.' });
  return agent;
}
