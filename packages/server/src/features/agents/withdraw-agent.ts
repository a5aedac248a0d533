/** Takes an agent off the market and frees its name, because the payer moved the payment of its registration elsewhere. */
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
  if (agent === undefined) return;
  // Replace the key even of an inactive agent: the first presenter may hold it and must not reactivate the agent.
  const key = makeApiKey(agent.id, secrets);
  await updateAgent(tx, agent.id, { ...key.columns, retiredKeyHash: null, active: false, updatedAt: clock.now() });
  if (!agent.active) return;
  await events.append(tx, [{ type: 'agent.deactivated', subjectId: agent.id, agentId: agent.id, data: {} }]);
}
