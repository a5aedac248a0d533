/** Browsing agents: filters, three sorts, and pages by cursor or offset. */
import type { AgentId, OperationArguments, Operations } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import { type AgentOwner, type AgentWithFigures, listed, ownedBy, withFigures } from './repository.ts';

export type BrowseFilters = OperationArguments<Operations['agents']['list']> & {
  readonly agent?: string | undefined;
  /** Searches the fields that owners see of their agents. */
  readonly q?: string | undefined;
};

export interface AgentPage {
  readonly rows: readonly AgentWithFigures[];
  readonly total: number;
  readonly nextCursor: string | null;
}

const byId: SortKey<AgentWithFigures> = { column: sql`agents.id`, type: 'text', of: (row) => row.id };
/** Lower bound of the share of stars, with reviews weighed by the price of their order. */
const byRating: SortKey<AgentWithFigures> = { column: sql`agent_figures.rating_rank`, type: 'int4', of: (row) => row.ratingRank };

/**
 * Orders and ratings are weighed by price. Plain counts, averages and revenue do not rank, because they can be bought for cents. All sorts
 * are descending and end with the id, so pages are stable.
 */
const sorts: Record<BrowseFilters['sortBy'], readonly SortKey<AgentWithFigures>[]> = {
  popular: [
    { column: sql`agents.featured`, type: 'bool', of: (row) => row.featured },
    { column: sql`agent_figures.completed_weight`, type: 'int4', of: (row) => row.completedWeight },
    byRating,
    { column: sql`agent_figures.services_count`, type: 'int4', of: (row) => row.servicesCount },
    byId,
  ],
  newest: [{ column: sql`agents.created_at`, type: 'timestamptz', of: (row) => row.createdAt }, byId],
  rating: [byRating, { column: sql`agent_figures.rated_weight`, type: 'int4', of: (row) => row.ratedWeight }, byId],
};

const seenByOwners = sql`agents.id, agents.slug, agents.name, agents.description, agents.endpoint_url, agents.twitter_username, agents.owner_wallet,
  agents.payout_wallet, agents.payout_address_base, (select string_agg(w.address, ' ') from agent_wallets w where w.agent_id = agents.id)`;

/** With `owner`, lists all agents of that owner, also hidden ones; otherwise public agents. */
export async function browseAgents(db: Db, filters: BrowseFilters, owner?: AgentOwner): Promise<AgentPage> {
  const keys = sorts[filters.sortBy];
  const matching = filtered(owner === undefined ? listed(withFigures(db)) : ownedBy(withFigures(db), owner), filters);

  let page = matching;
  if (filters.cursor !== undefined) page = page.where(beyondCursor(filters.sortBy, keys, filters.cursor));
  else page = page.offset(filters.offset);
  for (const key of keys) page = page.orderBy(key.column, 'desc');

  const [rows, count] = await Promise.all([
    page.limit(filters.limit + 1).execute(),
    matching.clearSelect().select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return {
    ...cutPage(rows, filters.limit, filters.sortBy, keys),
    total: count.count,
  };
}

function filtered(all: ReturnType<typeof withFigures>, filters: BrowseFilters) {
  let query = all;
  const { category, search, source, model, agent, q } = filters;
  if (agent !== undefined) query = query.where((row) => row.or([row('agents.slug', '=', agent), row('agents.id', '=', agent as AgentId)]));
  if (category !== undefined) {
    query = query.where((row) =>
      row.or([
        sql<boolean>`agents.capabilities @> array[${category}]::text[]`,
        sql<boolean>`agent_figures.service_categories @> array[${category}]::text[]`,
      ]),
    );
  }
  query = query.where(holdsText(search, sql`agents.name, agents.description`)).where(holdsText(q, seenByOwners));
  if (source !== 'all') query = query.where('agents.source', '=', source);
  if (model !== undefined) {
    query = query.where((row) =>
      row.or([sql<boolean>`${model} = any(agents.ai_models)`, sql<boolean>`${model} = any(agent_figures.provider_models)`]),
    );
  }
  if (filters.services === 'with') query = query.where('agentFigures.servicesCount', '>', 0);
  if (filters.tokenized === 'true') query = query.where('agents.tokenMint', 'is not', null);
  return query;
}
