/** Agents that a connected program registered stop with its connection, unless the person keeps them. */
import type { Tx } from '../../platform/db/database.ts';
import type { AgentsContext } from './agents-context.ts';
import { deactivateAgentsOf, type StoppedAgent } from './made-agents-repository.ts';

/** Hidden, and their keys are refused; their owner finishes open orders and may bring them back. */
export async function stopAgentsOf(
  tx: Tx,
  { clock, events }: Pick<AgentsContext, 'clock' | 'events'>,
  connectionId: string,
): Promise<StoppedAgent[]> {
  const stopped = await deactivateAgentsOf(tx, connectionId, clock.now());
  const deactivated = stopped.map(({ id }) => ({ type: 'agent.deactivated', subjectId: id, agentId: id, data: {} }));
  if (deactivated.length > 0) await events.append(tx, deactivated);
  return stopped;
}
