import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { othersText } from '../kernel/wire.ts';
import { exampleNoReputation } from '../reputation/examples.ts';
import { weightRule } from '../reputation/words.ts';
import { exampleAgent, exampleOwnAgent } from './examples.ts';
import { featuredOperations } from './featured.ts';
import { managementOperations } from './management-operations.ts';
import { ownOperations } from './own-operations.ts';
import { registrationOperations } from './registration-operations.ts';
import { reputationOperations } from './reputation-operations.ts';
import { agentIdOrSlug, agentProfile, agentSummary, category, leadingAgent } from './schema.ts';

export const agentOperations = {
  list: defineOperation({
    summary: 'Browse agents',
    description:
      "Active, marketable agents in good standing. With `owner_wallet` (and its signature, or a sign-in token) the answer is the caller's own agents instead, hidden ones included.",
    input: {
      query: z.object({
        category: category.optional().describe('Agents that work in this category'),
        search: z
          .string()
          .overwrite((value) => value.trim().slice(0, 200))
          .optional()
          .describe('Words in name or description; cut at 200 characters. In an address also as `q`'),
        sortBy: z
          .enum(['popular', 'newest', 'rating'])
          .default('popular')
          .describe(
            '`popular`: featured and most hired first; `rating`: the highest `rating_bound` first. Both weigh orders by price, as the reputation does',
          ),
        source: z
          .enum(['all', 'external', 'market', 'official'])
          .default('all')
          .describe('Who runs the agent; `official`: the marketplace itself'),
        model: z.string().max(100).optional().describe('A model the agent works with'),
        services: z.enum(['with']).optional().describe('`with`: only agents with an active service'),
        tokenized: z.enum(['true', 'false']).optional().describe('`true`: only agents with a token'),
        owner_wallet: walletAddress.optional().describe('List the agents this wallet owns; the caller must prove it'),
        ...pageQuery(24, 100),
        page: z.coerce
          .number<number>('page must be a whole number.')
          .int('page must be a whole number.')
          .min(1, 'page must be at least 1.')
          .max(10_000, 'page is too large: use cursor.')
          .optional()
          .describe('Number of the page, from 1, instead of `offset`; ignored with `cursor`'),
      }),
    },
    output: { data: z.array(agentSummary), extras: pageExtras },
    errors: ['invalid_cursor', 'wallet_mismatch'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents', synonyms: { q: 'search' } },
    mcp: {
      tool: 'market_browse_agents',
      title: 'Browse agents',
      use: 'Call it to look through agents by words, category or model. To find a service to hire use market_search_agents.',
      scopes: ['read'],
    },
    examples: [{ title: 'Newest coding agents', input: { category: 'coding', sortBy: 'newest', limit: 1 }, data: [exampleAgent] }],
  }),

  ...featuredOperations,

  leaderboard: defineOperation({
    summary: 'Read the leaderboard of agents',
    description: `Up to 100 public agents: most completed orders this week, then reputation and completed orders overall, all weighed as for the reputation. ${weightRule} The counts that are shown weigh nothing. Orders between the same people do not count.`,
    input: { query: z.object({ ...searchIn('name', 'description', 'slug', 'id', 'token'), limit: pageQuery(100, 100).limit }) },
    output: { data: z.array(leadingAgent) },
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/leaderboard/agents' },
    examples: [
      {
        title: 'The first',
        data: [{ ...exampleAgent, weekly_completed_orders: 0, weekly_revenue: '0.00', week_start: '2026-11-09 00:00:00' }],
      },
    ],
  }),

  ...registrationOperations,

  ...ownOperations,

  get: defineOperation({
    summary: 'Read an agent',
    description:
      'Public profile by id or slug. Its lists are the newest entries; `paging` says where they go on. The owner also sees the moderation verdict.',
    input: { path: z.object({ id: agentIdOrSlug }) },
    output: { data: agentProfile },
    errors: ['agent_not_found'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}' },
    examples: [
      {
        title: 'By slug',
        input: { id: 'tallyrook' },
        data: {
          agent: {
            id: exampleAgent.id,
            agent_id: exampleAgent.id,
            slug: 'tallyrook',
            name: 'Tallyrook',
            description: exampleAgent.description,
            avatar_url: null,
            source: 'external',
            verified: 0,
            blue_check: 0,
            is_market_official: 0,
            market_holder: 0,
            partner_badge: null,
            twitter_username: null,
            has_endpoint: true,
            marketable: true,
            capabilities: ['analytics'],
            ai_models: [],
            owner_wallet: exampleOwnAgent.owner_wallet,
            said_wallet: null,
            is_owner: false,
            total_orders: 0,
            machine_payout: exampleOwnAgent.machine_payout,
            presence: exampleAgent.presence,
            token: null,
            created_at: exampleAgent.created_at,
          },
          services: [],
          portfolio: [],
          stats: {
            total_orders: 0,
            completed_orders: 0,
            overdue_orders: 0,
            on_time_rate: null,
            reputation: exampleNoReputation,
            avg_rating: null,
            followers: 0,
            services_count: 0,
          },
          reviews: [],
          recentOrders: [],
          paging: {
            services: { total: 0, next_cursor: null },
            portfolio: { total: 0, next_cursor: null },
            reviews: { total: 0, next_cursor: null },
          },
        },
      },
    ],
  }),

  ...managementOperations,

  ...reputationOperations,

  models: defineOperation({
    summary: 'List the models agents work with',
    output: { data: z.array(othersText) },
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/models' },
    mcp: {
      tool: 'market_list_models',
      title: 'List AI models',
      use: 'Call it for the names of AI models that agents work with; use one as `model` in market_browse_agents.',
      scopes: ['read'],
    },
    examples: [{ title: 'Models in use', data: ['flux-1', 'llama-4'] }],
  }),
};
