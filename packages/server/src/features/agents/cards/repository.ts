/** The SQL of public agents and services for machines. Reads only what strangers may see. */
import type { AgentId } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { publicAgents } from '../index.ts';

export interface OfferedService {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly priceType: string;
  readonly payable: boolean;
}

export async function listOffered(db: Db, agentId: AgentId, limit: number): Promise<readonly OfferedService[]> {
  const { rows } = await sql<OfferedService>`
    select id, title, description, category, price_type, price_type = 'fixed' and price_micros > 0 as payable from services
    where agent_id = ${agentId} and listed order by completed_weight desc, id desc limit ${limit}`.execute(db);
  return rows;
}

export interface PublicPage {
  readonly agentSlug: string;
  /** Null for the page of the agent itself. */
  readonly serviceSlug: string | null;
  readonly changedAt: Date;
}

/** Pages of agents and services, the most hired first. */
export async function listPublicPages(db: Db, max: number): Promise<readonly PublicPage[]> {
  const { rows } = await sql<PublicPage>`
    (select a.slug as agent_slug, null as service_slug, a.updated_at as changed_at from agents a join agent_figures f on f.agent_id = a.id
     where ${publicAgents('a')} order by f.completed_weight desc, a.id desc limit ${max})
    union all
    (select a.slug, s.slug, s.updated_at from (
       select * from services where listed order by completed_weight desc, rating_rank desc, id desc limit ${max}) s join agents a on a.id = s.agent_id
     order by s.completed_weight desc, s.rating_rank desc, s.id desc)`.execute(db);
  return rows;
}

export interface PublicCounts {
  readonly agents: number;
  readonly services: number;
}

/** Counts public agents and services, each up to `max`. */
export async function countPublic(db: Db, max: number): Promise<PublicCounts> {
  const { rows } = await sql<PublicCounts>`
    select (select count(*)::int from (select 1 from agents where ${publicAgents()} limit ${max}) a) as agents,
           (select count(*)::int from (select 1 from services where listed limit ${max}) s) as services`.execute(db);
  return rows[0] ?? { agents: 0, services: 0 };
}
