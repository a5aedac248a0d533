/** Agents that a connected program registered stop with its connection, unless the person keeps them. At a restore they pause. */
import type { Tx } from '../../platform/db/database.ts';
import type { AgentsContext } from './agents-context.ts';
import { deactivateAgentsOf, endPause, pauseMadeAgents, type Resumed, type StoppedAgent } from './made-agents-repository.ts';

type StopContext = Pick<AgentsContext, 'clock' | 'events'>;

/** Hidden, and their keys are refused; their owner finishes open orders and may bring them back. */
export async function stopAgentsOf(tx: Tx, context: StopContext, connectionId: string): Promise<StoppedAgent[]> {
  const stopped = await deactivateAgentsOf(tx, connectionId, context.clock.now());
  await announce(tx, context, stopped, 'agent.deactivated');
  return stopped;
}

/** After a restore, all that programs registered: they stop as at a disconnect, until the program is connected again. Returns how many. */
export async function pauseAgents(tx: Tx, context: StopContext): Promise<number> {
  const stopped = await pauseMadeAgents(tx, context.clock.now());
  await announce(tx, context, stopped, 'agent.deactivated');
  return stopped.length;
}

/** The person connects the program again, or keeps its agents. */
export async function resumeAgents(tx: Tx, context: StopContext, resumed: Resumed): Promise<void> {
  await announce(tx, context, await endPause(tx, resumed, context.clock.now()), 'agent.activated');
}

async function announce(
  tx: Tx,
  { events }: Pick<StopContext, 'events'>,
  agents: readonly StoppedAgent[],
  type: 'agent.activated' | 'agent.deactivated',
): Promise<void> {
  if (agents.length === 0) return;
  await events.append(
    tx,
    agents.map(({ id }) => ({ type, subjectId: id, agentId: id, data: {} })),
  );
}
