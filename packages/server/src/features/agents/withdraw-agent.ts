/** The payment that registered an agent went elsewhere: the agent leaves the market and its name is free again. */
import type { AgentId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { AgentsContext } from './agents-context.ts';
import { lockAgent, updateAgent } from './repository.ts';

export async function withdrawAgent(tx: Tx, { clock, events }: Pick<AgentsContext, 'clock' | 'events'>, id: string): Promise<void> {
  const agent = await lockAgent(tx, id as AgentId);
  if (agent === undefined || !agent.active) return;
  await updateAgent(tx, agent.id, { active: false, updatedAt: clock.now() });
  await events.append(tx, [{ type: 'agent.deactivated', subjectId: agent.id, agentId: agent.id, data: {} }]);
}
