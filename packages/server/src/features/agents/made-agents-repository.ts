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
  await forgetPaused(tx, connectionId);
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

/**
 * After a restore: the person may have disconnected any program since the backup. Returns those that were active. Endpoints of the person
 * stay.
 */
export async function pauseMadeAgents(tx: Tx, now: Date): Promise<StoppedAgent[]> {
  // The owner may have brought an agent back after an earlier restore.
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
  /** Webhooks go to the program again. */
  readonly withEndpoint: boolean;
}

/** Ends the pause. Returns those that are active again: another agent may have taken the name meanwhile. */
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
