/** The SQL of agents that a connected program registered. */
import type { AgentId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';

export interface StoppedAgent {
  readonly id: AgentId;
  readonly name: string;
}

/** Returns those that were active. Webhooks went to the program, so they end, too. */
export async function deactivateAgentsOf(tx: Tx, connectionId: string, now: Date): Promise<StoppedAgent[]> {
  const stopped = await tx
    .updateTable('agents')
    .set({ active: false, updatedAt: now })
    .where('stopsWith', '=', connectionId)
    .where('active', '=', true)
    .returning(['id', 'name'])
    .execute();
  // The owner may bring them back: they stopped once.
  await tx.updateTable('agents').set({ stopsWith: null, endpointUrl: null }).where('stopsWith', '=', connectionId).execute();
  return stopped;
}

/** These do not stop with it any more. */
export async function keepAgentsOf(tx: Tx, connectionId: string, kept: 'all' | readonly string[]): Promise<void> {
  let keeping = tx.updateTable('agents').set({ stopsWith: null }).where('stopsWith', '=', connectionId);
  if (kept !== 'all') keeping = keeping.where('id', 'in', [...kept] as AgentId[]);
  await keeping.execute();
}

/** A connection that replaces another takes over what it registered. */
export async function handOverAgents(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('agents').set({ stopsWith: to }).where('stopsWith', '=', from).execute();
}

/** The owner lifts the limits of what registered the agent. */
export async function writeCreators(tx: Tx, id: AgentId, createdBy: readonly string[]): Promise<void> {
  await tx
    .updateTable('agents')
    .set({ createdBy: [...createdBy] })
    .where('id', '=', id)
    .execute();
}
