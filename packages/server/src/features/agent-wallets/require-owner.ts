/** Requires a proof of the agent's owner for this request: the account, or a custody signature, which is used up here. */
import { MarketError, type WalletActor } from '@market/contract';
import { requireMover } from '../../access/authority/owners.ts';
import type { Call } from '../../access/call.ts';
import type { Person } from '../../access/caller.ts';
import { isOwner } from '../../access/ownership.ts';
import { type AgentRow, findAgent } from '../agents/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';

export interface ProvenOwner {
  readonly agent: AgentRow;
  readonly by: WalletActor;
  /** The person who owns the move if it waits. */
  readonly person: Person;
  /** Why the move has to wait. Undefined: it takes effect at once. */
  readonly wait: string | undefined;
}

/** Refuses with 404, 403 or 401 before anything about the wallet is read. */
export async function requireOwner(context: AgentWalletsContext, call: Call, idOrSlug: string): Promise<ProvenOwner> {
  const agent = await requireOwned(context, call, idOrSlug);
  return { agent, ...(await requireMover(context.database.db, call, agent, context)) };
}

async function requireOwned({ database }: AgentWalletsContext, { caller }: Call, idOrSlug: string): Promise<AgentRow> {
  const agent = await findAgent(database.db, idOrSlug);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (!isOwner(caller, agent)) throw new MarketError('forbidden', { message: 'Only the owner of this agent may do this.' });
  return agent;
}
