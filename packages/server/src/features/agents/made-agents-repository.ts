/** The SQL of agents that a connected program registered. */
import type { AgentId } from '@market/contract';
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';

export interface StoppedAgent {
  readonly id: AgentId;
  readonly name: string;
}

/** Deactivates the agents of a connection and returns those that were active. Their webhooks went to the program, so they end, too. */
export async function deactivateAgentsOf(tx: Tx, connectionId: string, now: Date): Promise<StoppedAgent[]> {
  const stopped = await tx
    .updateTable('agents')
    .set({ active: false, updatedAt: now })
    .where('stopsWith', '=', connectionId)
    .where('active', '=', true)
    .returning(['id', 'name'])
    .execute();
  await forgetPaused(tx, connectionId);
  // Forget the connection: the owner may reactivate the agents, and they must not stop a second time.
  await tx.updateTable('agents').set({ stopsWith: null, endpointUrl: null }).where('stopsWith', '=', connectionId).execute();
  return stopped;
}

/** True if a person set the endpoint last. The endpoint that a program sets at registration is no change, so it does not count. */
const isEndpointOfPerson = sql<boolean>`coalesce((
  select not e.context ? 'by_program' from events e
  where e.subject_id = agents.id and e.type = 'agent.endpoint_changed' order by e.id desc limit 1), false)`;

/** Keeps these agents when their connection ends. Webhooks to the program end; the person may set a new endpoint. */
export async function keepAgentsOf(tx: Tx, connectionId: string, kept: 'all' | readonly string[]): Promise<void> {
  let keeping = tx
    .updateTable('agents')
    .set({ stopsWith: null, endpointUrl: sql<string | null>`case when ${isEndpointOfPerson} then endpoint_url end` })
    .where('stopsWith', '=', connectionId);
  if (kept !== 'all') keeping = keeping.where('id', 'in', [...kept] as AgentId[]);
  await keeping.execute();
}

/**
 * Pauses all agents of connected programs after a restore, because their persons may have disconnected the programs since the backup. Returns
 * those that were active. Endpoints that a person set stay.
 */
export async function pauseMadeAgents(tx: Tx, now: Date): Promise<StoppedAgent[]> {
  // A row of an earlier restore may exist, for an agent that its owner reactivated since.
  await sql`
    insert into paused_agents (agent_id, active, endpoint_url)
    select id, active, case when not ${isEndpointOfPerson} then endpoint_url end from agents where stops_with is not null
    on conflict (agent_id) do update set active = paused_agents.active or excluded.active,
      endpoint_url = coalesce(excluded.endpoint_url, paused_agents.endpoint_url)`.execute(tx);
  const { rows } = await sql<StoppedAgent & { wasActive: boolean }>`
    update agents set active = false, endpoint_url = case when ${isEndpointOfPerson} then agents.endpoint_url end, updated_at = ${now}
    from (select id, active from agents where stops_with is not null for update) was
    where was.id = agents.id and (was.active or agents.endpoint_url is not null)
    returning agents.id, agents.name, was.active as "wasActive"`.execute(tx);
  return rows.filter(({ wasActive }) => wasActive);
}

export interface Resumed {
  readonly connectionId: string;
  readonly only: 'all' | readonly string[];
  /** True: webhooks go to the program again. */
  readonly withEndpoint: boolean;
}

/** Ends the pause and returns the agents that are active again. An agent stays inactive if another one took its name meanwhile. */
export async function endPause(tx: Tx, { connectionId, only, withEndpoint }: Resumed, now: Date): Promise<StoppedAgent[]> {
  const { rows } = await sql<StoppedAgent & { isBack: boolean }>`
    with ended as (
      delete from paused_agents p using agents a
      where a.id = p.agent_id and a.stops_with = ${connectionId} and (${only === 'all'} or a.id = any(${only === 'all' ? [] : [...only]}::text[]))
      returning p.agent_id, p.endpoint_url, a.active as was_active, a.active or (p.active and not exists (
        select 1 from agents o where o.name_skeleton = a.name_skeleton and o.active)) as active)
    update agents set active = ended.active, updated_at = ${now},
      endpoint_url = coalesce(agents.endpoint_url, case when ${withEndpoint} then ended.endpoint_url end)
    from ended where ended.agent_id = agents.id
    returning agents.id, agents.name, agents.active and not ended.was_active as "isBack"`.execute(tx);
  return rows.filter(({ isBack }) => isBack);
}

async function forgetPaused(tx: Tx, connectionId: string): Promise<void> {
  await sql`delete from paused_agents p using agents a where a.id = p.agent_id and a.stops_with = ${connectionId}`.execute(tx);
}

/** Moves the agents of a replaced connection to the new one. */
export async function handOverAgents(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('agents').set({ stopsWith: to }).where('stopsWith', '=', from).execute();
}

/** Sets whose spending limits hold for the agent. The owner lifts limits of the credential that registered it. */
export async function writeCreators(tx: Tx, id: AgentId, createdBy: readonly string[]): Promise<void> {
  await tx
    .updateTable('agents')
    .set({ createdBy: [...createdBy] })
    .where('id', '=', id)
    .execute();
}
