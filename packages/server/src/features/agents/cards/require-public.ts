import { MarketError } from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import { type AgentRow, findAgent, isPublicAgent } from '../index.ts';

/** Owners get no more than strangers here, because the documents are public. */
export async function requirePublic(db: Db, id: string): Promise<AgentRow> {
  const agent = await findAgent(db, id);
  if (agent === undefined || !isPublicAgent(agent)) throw new MarketError('agent_not_found');
  return agent;
}
