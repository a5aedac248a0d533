/** The payment that registered an agent went elsewhere: the agent leaves the market and its name is free again. */
import type { AgentId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { makeApiKey } from './agent-secrets.ts';
import type { AgentsContext } from './agents-context.ts';
import { lockAgent, updateAgent } from './repository.ts';

export async function withdrawAgent(
  tx: Tx,
  { clock, events, secrets }: Pick<AgentsContext, 'clock' | 'events' | 'secrets'>,
  id: string,
): Promise<void> {
  const agent = await lockAgent(tx, id as AgentId);
  if (agent === undefined || !agent.active) return;
  // Whoever presented the payment first may hold the key; it must not bring the agent back.
  const key = makeApiKey(agent.id, secrets);
  await updateAgent(tx, agent.id, { ...key.columns, retiredKeyHash: null, active: false, updatedAt: clock.now() });
  await events.append(tx, [{ type: 'agent.deactivated', subjectId: agent.id, agentId: agent.id, data: {} }]);
}
