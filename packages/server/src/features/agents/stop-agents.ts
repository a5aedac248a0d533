/** Stops agents of a connected program when its connection ends, unless the person keeps them. After a restore they pause. */
import type { Tx } from '../../platform/db/database.ts';
import type { AgentsContext } from './agents-context.ts';
import { deactivateAgentsOf, endPause, pauseMadeAgents, type Resumed, type StoppedAgent } from './made-agents-repository.ts';

type StopContext = Pick<AgentsContext, 'clock' | 'events'>;

/** Deactivates the agents: they are hidden and their keys refused. The owner finishes open orders and may reactivate them. */
export async function stopAgentsOf(tx: Tx, context: StopContext, connectionId: string): Promise<StoppedAgent[]> {
  const stopped = await deactivateAgentsOf(tx, connectionId, context.clock.now());
  await announce(tx, context, stopped, 'agent.deactivated');
  return stopped;
}

/** Pauses all agents of connected programs after a restore, until the program is connected again. Returns how many. */
export async function pauseAgents(tx: Tx, context: StopContext): Promise<number> {
  const stopped = await pauseMadeAgents(tx, context.clock.now());
  await announce(tx, context, stopped, 'agent.deactivated');
  return stopped.length;
}

/** Ends the pause, because the person connected the program again or keeps its agents. */
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
