import { MarketError } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import { type AgentRow, findAgent, isPublicAgent } from '../agents/index.ts';

/** The owner, too, sees only what strangers see: the documents are for strangers. */
export async function requirePublic(db: Db, id: string): Promise<AgentRow> {
  const agent = await findAgent(db, id);
  if (agent === undefined || !isPublicAgent(agent)) throw new MarketError('agent_not_found');
  return agent;
}
