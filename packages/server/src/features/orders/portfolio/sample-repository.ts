/** One picture per service for lists, from the results that the agent's public portfolio shows. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { shown } from './repository.ts';

/** How many of the agent's latest results we look through, so that a list costs the same for agents with many orders. */
const LATEST_RESULTS = 50;

/** A list shows many pictures, so larger ones are replaced by their preview. */
const SMALL_BYTES = 300_000;

export interface SampleRow {
  readonly serviceId: string;
  readonly uploadId: string;
  readonly isSmall: boolean;
}

/** The newest picture of each of these services, for those that have one. */
export async function findSamples(db: Db, serviceIds: readonly string[]): Promise<readonly SampleRow[]> {
  if (serviceIds.length === 0) return [];
  const { rows } = await sql<SampleRow>`
    select s.id as "serviceId", sample.upload_id as "uploadId", sample.is_small as "isSmall"
    from services s cross join lateral (
      select d.upload_id, u.size_bytes <= ${SMALL_BYTES} as is_small from (
        select o.id, o.service_id, o.completed_at from orders o where o.provider_agent_id = s.agent_id and ${shown}
        order by o.completed_at desc limit ${LATEST_RESULTS}) o
      cross join lateral (
        select d.id, d.upload_id from deliverables d where d.order_id = o.id and d.status = 'completed'
        order by d.round desc, d.position, d.id limit 1) d
      join uploads u on u.id = d.upload_id and u.state = 'ready' and u.media_type = 'image'
        and (u.size_bytes <= ${SMALL_BYTES} or u.preview_key is not null)
      where o.service_id = s.id
        and not exists (select 1 from hidden_portfolio h where h.agent_id = s.agent_id and h.source_id in (o.id, d.id))
      order by o.completed_at desc, o.id desc limit 1) sample
    where s.id = any(${[...serviceIds]}::text[])`.execute(db.withoutPlugins());
  return rows;
}
