/** The SQL of featured places. */
import { type AgentId, featuredRules } from '@market/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { publicAgents } from './public-agents-repository.ts';
import { type AgentWithFigures, listed, withFigures } from './repository.ts';

export async function listFeatured(db: Db): Promise<AgentWithFigures[]> {
  return await listed(withFigures(db))
    .where('agents.featured', '=', true)
    .orderBy('agentFigures.completedWeight', 'desc')
    .orderBy('agents.id')
    .limit(featuredRules.places)
    .execute();
}

export interface Featurable {
  readonly id: AgentId;
  readonly featured: boolean;
  readonly isPublic: boolean;
  readonly hasWeighedOrder: boolean;
  readonly lostDisputes: number;
  readonly descriptionLength: number;
  /** Number of other public agents that have a featured place. */
  readonly otherPlaces: number;
  readonly ownerUserId: string | null;
  readonly ownerWallet: string | null;
}

/** Locks until the transaction ends: a ruling that ends the place waits, and places are given one at a time. */
export async function lockFeaturable(tx: Tx, idOrSlug: string): Promise<Featurable | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('featured-places', 0))`.execute(tx);
  const { rows } = await sql<Featurable>`
    select agents.id, agents.featured, ${publicAgents()} as is_public, f.score_weight > 0 as has_weighed_order, char_length(agents.description) as description_length,
           agents.owner_user_id, agents.owner_wallet,
           (select count(*)::int from agents other where other.featured and other.id <> agents.id and ${publicAgents('other')}) as other_places,
           (select count(*)::int from orders o join disputes d on d.order_id = o.id
            where o.provider_agent_id = agents.id and d.ruling in ('refund', 'split')
              and d.closed_at > market_now() - make_interval(days => ${featuredRules.daysWithoutLostDispute})) as lost_disputes
    from agents join agent_figures f on f.agent_id = agents.id
    where agents.id = ${idOrSlug} or agents.slug = ${idOrSlug} for update of agents`.execute(tx);
  return rows[0];
}

export async function writeFeatured(tx: Tx, id: AgentId, featured: boolean): Promise<void> {
  await tx.updateTable('agents').set({ featured }).where('id', '=', id).execute();
}

/** Ends the agent's featured place; false when it had none. Locks the agent in any case, so that no place is given on stale data. */
export async function endFeaturedPlace(tx: Tx, id: AgentId): Promise<boolean> {
  const agent = await tx.selectFrom('agents').select('featured').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
  if (agent?.featured !== true) return false;
  await writeFeatured(tx, id, false);
  return true;
}
