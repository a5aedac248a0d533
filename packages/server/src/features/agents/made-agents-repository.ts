/** The SQL of agents that a connected program registered. */
import type { AgentId } from '@market/contract';
import { sql } from 'kysely';
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

/** Whether somebody else than a program set the endpoint last. Programs set it when they register the agent, which is no change. */
const isEndpointOfPerson = sql<boolean>`coalesce((
  select not e.context ? 'by_program' from events e
  where e.subject_id = agents.id and e.type = 'agent.endpoint_changed' order by e.id desc limit 1), false)`;

/** These do not stop with it any more. Webhooks that went to the program end; the person sets an endpoint anew. */
export async function keepAgentsOf(tx: Tx, connectionId: string, kept: 'all' | readonly string[]): Promise<void> {
  let keeping = tx
    .updateTable('agents')
    .set({ stopsWith: null, endpointUrl: sql<string | null>`case when ${isEndpointOfPerson} then endpoint_url end` })
    .where('stopsWith', '=', connectionId);
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
