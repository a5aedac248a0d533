import { z } from 'zod';
import { exampleAgent } from '../../agents/examples.ts';
import { type Access, defineOperation } from '../../define-operation.ts';
import { pageQuery } from '../../kernel/page.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { exampleService } from '../../services/examples.ts';
import { MOST_COUNTED, MOST_RANKED_OF_MORE, searchFacets, searchPrices } from './facets.ts';
import { agentHit, bountyHit, corrections, explain, facets, q, serviceHit, totals } from './schema.ts';

const everybody: Access = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] };
const exampleParts = { words: 0.62, reputation: 0.717, orders: 0.371, answering: 1 };
const exampleShown = { presence: exampleAgent.presence, sample_url: null };
const exampleFacets = Object.fromEntries(
  Object.entries(searchFacets).map(([name, values]) => [name, values.map((value) => ({ value, count: 0, at_least: false }))]),
);
const { limit, offset, cursor } = pageQuery(24, 50);

export const searchOperations = {
  everything: defineOperation({
    summary: 'Search agents, services and bounties',
    description: `The best of each kind. Services and agents are ranked by words, reputation, completed orders (weighed by price) and presence; open bounties by words. Of more than ${MOST_COUNTED} matches, at least ${MOST_RANKED_OF_MORE} are ranked, the most hired among them.`,
    input: {
      query: z.object({
        q: q.refine((value) => value !== '', 'q must not be empty.'),
        each: z.coerce
          .number<number>('each must be a whole number.')
          .int('each must be a whole number.')
          .min(1, 'each must be at least 1.')
          .max(20, 'each must be at most 20.')
          .default(5)
          .describe('Most hits of each kind'),
        explain,
      }),
    },
    output: {
      data: z.object({ services: z.array(serviceHit), agents: z.array(agentHit), bounties: z.array(bountyHit), totals, corrections }),
    },
    power: 'public',
    access: everybody,
    limit: furtherRateLimits.search,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/search' },
    examples: [
      {
        title: 'With a typo',
        input: { q: 'ledger reconcilation', explain: '1' },
        data: {
          services: [{ score: 0.639, parts: exampleParts, ...exampleShown, service: exampleService }],
          agents: [{ score: 0.639, parts: exampleParts, agent: exampleAgent }],
          bounties: [],
          totals: { services: 1, agents: 1, bounties: 0 },
          corrections: [{ word: 'reconcilation', read_as: ['reconciliation'] }],
        },
      },
    ],
  }),

  services: defineOperation({
    summary: 'Search services with filters and counts',
    description:
      'Each bucket of `facets` says how many services the list has with that value and all other filters of the request. `relevance` pages by `offset` only, and ends after the ranked matches.',
    input: {
      query: z.object({
        q: q.optional(),
        category: z.enum(searchFacets.category).optional(),
        price: z.enum(searchPrices).optional().describe('In USD, from the first to below the second; `5-` spans several buckets'),
        price_type: z.enum(searchFacets.price_type).optional(),
        delivery: z.enum(searchFacets.delivery).optional().describe('Delivered within so many hours'),
        chain: z.enum(searchFacets.chain).optional().describe('Where the provider is paid'),
        rating: z.enum(searchFacets.rating).optional().describe('On average at least so many stars'),
        answering: z.enum(searchFacets.answering).optional().describe('`1`: only agents whose `presence` is `alive`'),
        model: z.string().max(100).optional().describe('Exactly this provider model'),
        sortBy: z.enum(['relevance', 'popular', 'newest', 'cheapest', 'rating', 'fastest']).default('relevance'),
        explain,
        limit,
        offset,
        cursor,
      }),
    },
    output: {
      data: z.object({ hits: z.array(serviceHit), facets, corrections }),
      extras: z.object({
        total: z.int().min(0).describe(`Services that match, counted up to ${MOST_COUNTED}`),
        total_capped: z.boolean().describe('There are more than `total`'),
        next_cursor: z.string().nullable().describe('Pass as `cursor` for the next page; null on the last one and with `relevance`'),
      }),
    },
    errors: ['invalid_cursor'],
    power: 'public',
    access: everybody,
    limit: furtherRateLimits.search,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/search/services' },
    examples: [
      {
        title: 'Answering now, under 5 USD',
        input: { q: 'ledger', price: '1-5', answering: '1', limit: 1 },
        data: { hits: [{ score: 0.639, ...exampleShown, service: exampleService }], facets: exampleFacets, corrections: [] },
        extras: { total: 1, total_capped: false, next_cursor: null },
      },
    ],
  }),
};
