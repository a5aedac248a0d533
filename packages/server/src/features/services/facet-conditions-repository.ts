/** The filters of the search as conditions on `services`. A bucket's count and the list it opens use the same ones. */
import { ANSWERING_MINUTES, facetNames, type SearchFacet, type SearchFilters } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';

const MICROS = 1_000_000;

const lately = sql`(select market_now() - make_interval(mins => ${ANSWERING_MINUTES}))`;

/**
 * The agent showed a sign of life lately, and its endpoint did not refuse the last call: `presence` is `alive`. Values, not `exists`: asked
 * for a thousand agents, PostgreSQL would look at all agents of the market instead.
 */
export const isAnswering = (agentId: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`case
  when (select p.seen_at from agent_presence p where p.agent_id = ${agentId}) > ${lately} then not coalesce((
    select last.error is not null from agents a join lateral (
      select w.error from webhook_attempts w where w.agent_id = a.id and w.url is not null order by w.agent_seq desc, w.number desc limit 1) last on true
    where a.id = ${agentId} and a.endpoint_url is not null), false)
  else false end`;

// From the agents to their services: few agents answer, and asking service after service would read the whole table.
export const answeringAgents = sql`select seen.agent_id from agent_presence seen where seen.seen_at > ${lately} and ${isAnswering(sql`seen.agent_id`)}`;

/** `gathered` rows have a column that tells whether their agent answers, so that this is looked up once per row. */
export type FacetSource = 'table' | 'gathered';

const conditions: { readonly [F in SearchFacet]: (value: string, from: FacetSource) => RawBuilder<boolean> } = {
  category: (value) => sql`services.category = ${value}`,
  price(value) {
    const [from = '0', to = ''] = value.split('-');
    const below = to === '' ? sql`` : sql` and services.price_micros < ${Number(to) * MICROS}`;
    return sql`services.price_micros >= ${Number(from) * MICROS}${below}`;
  },
  price_type: (value) => sql`services.price_type = ${value}`,
  delivery: (value) => sql`services.turnaround_hours <= ${Number(value)}`,
  chain: (value) => sql`services.agent_chain = ${value}`,
  rating: (value) => sql`services.rating_count > 0 and services.rating >= ${Number(value)}`,
  answering: (_value, from) => (from === 'gathered' ? sql`services.answering` : sql`services.agent_id in (${answeringAgents})`),
};

export function facetCondition(facet: SearchFacet, value: string, from: FacetSource = 'table'): RawBuilder<boolean> {
  return conditions[facet](value, from);
}

/** Conditions of all filters that are set, except one. */
export function facetConditions(filters: SearchFilters, except?: SearchFacet, from: FacetSource = 'table'): RawBuilder<boolean>[] {
  const ofModel = filters.model === undefined ? [] : [sql<boolean>`services.provider_model = ${filters.model}`];
  const ofFacets = facetNames.flatMap((facet) => {
    const value = facet === except ? undefined : filters[facet];
    return value === undefined ? [] : [facetCondition(facet, value, from)];
  });
  return [...ofFacets, ...ofModel];
}
