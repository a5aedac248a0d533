import { MarketError } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import { isOwner } from '../../../access/ownership.ts';
import { type AgentRow, findAgent } from '../../agents/index.ts';
import type { ClosingContext } from './closing-context.ts';

/** Only the owner of an agent may see what is open. */
export async function requireOwnAgent({ database }: ClosingContext, { caller }: Call, id: string): Promise<AgentRow> {
  const agent = await findAgent(database.db, id);
  if (agent === undefined || agent.closedAt !== null) throw new MarketError('agent_not_found');
  if (!isOwner(caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours. Sign in as its owner.' });
  return agent;
}
