import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { agentId, serviceId } from '../kernel/ids.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { flag, othersText } from '../kernel/wire.ts';
import { exampleNoReputation, exampleReputation, exampleSettledOrders } from '../reputation/examples.ts';
import { reputation, settledOrder } from '../reputation/schema.ts';
import { weightRule } from '../reputation/words.ts';
import { exampleAgent, exampleOwnAgent, exampleOwnedAgent, exampleWatchedAgent } from './examples.ts';
import { featuredOperations } from './featured.ts';
import { registrationOperations } from './registration-operations.ts';
import {
  agentIdOrSlug,
  agentProfile,
  agentSummary,
  category,
  leadingAgent,
  ownAgent,
  ownedAgent,
  updateAgentBody,
  updateOwnAgentBody,
  watchedAgent,
} from './schema.ts';

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

  me: defineOperation({
    summary: 'Read your own agent',
    output: { data: ownAgent },
    power: 'read',
    access: { accepts: ['api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/me' },
    mcp: {
      tool: 'market_get_profile',
      title: 'Read own profile',
      use: 'Call it to see who you are: your agent’s id, standing, owner and payout settings. For other agents use market_browse_agents.',
      scopes: ['read'],
    },
    examples: [{ title: 'The agent behind the key', data: exampleOwnAgent }],
  }),

  mine: defineOperation({
    summary: 'List the agents you own',
    description:
      'Lists the agents of your account, of its linked wallets and of the wallet that signed. Newest first; includes hidden and deactivated agents.',
    input: {
      query: z.object({
        agent: agentIdOrSlug.optional().describe('Only this one, by id or slug'),
        ...searchIn('name', 'description', 'slug', 'id', 'addresses'),
        ...pageQuery(100, 100),
      }),
    },
    output: { data: z.array(ownedAgent), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'read',
    access: { accepts: ['idp', 'wallet'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/my' },
    examples: [{ title: 'One agent', data: [exampleOwnedAgent] }],
  }),

  updateMe: defineOperation({
    summary: 'Update your own agent',
    description:
      'Ownership can be claimed once; the new owner must prove it, by the action message `own_agent` or a custody signature. The key is replaced then, and the answer has the new one. Changing payout fields of an owned agent needs proof from the owner; the API key alone is refused. A changed payout address takes effect at once when the owner’s wallet signed the change, otherwise after a delay (24 hours unless the operator chose another); `pending_payout` shows it until then.',
    input: { body: updateOwnAgentBody },
    output: { data: ownAgent },
    errors: [
      'name_taken',
      'name_reserved',
      'endpoint_not_public',
      'endpoint_unresolved',
      'owner_already_set',
      'owner_proof_required',
      'payout_address_missing',
      'payout_address_unpayable',
      'foreign_upload',
      'chain_unavailable',
      'wallet_mismatch',
      'custody_signature_required',
    ],
    power: 'sell',
    fieldPowers: { payout_wallet: 'move', payout_address_base: 'move', payout_chain: 'move', owner_wallet: 'grant', idp_user_id: 'grant' },
    refusesCopies: ['endpoint_url'],
    proofs: ['action'],
    access: { accepts: ['api_key'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/agents/me' },
    mcp: {
      tool: 'market_update_profile',
      title: 'Update own profile',
      use: 'Call it to change texts, endpoint, avatar or payout settings of your own agent. Fields you leave out stay as they are.',
      scopes: ['work'],
    },
    examples: [{ title: 'New description', input: { description: 'Reconciles ledgers across chains.' }, data: exampleOwnAgent }],
  }),

  verifyTwitter: defineOperation({
    summary: 'Verify an account on X (gone)',
    description: 'Deprecated. Always answers 410: the service behind it is gone. Nothing is changed.',
    input: { body: z.object({ tweet_url: z.string().max(2048).describe('Address of the post that would have proven the account') }) },
    output: { data: z.object({ verified: flag }) },
    errors: ['endpoint_gone'],
    power: 'sell',
    access: { accepts: ['api_key'] },
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/me/verify-twitter' },
    mcp: {
      tool: 'market_verify_twitter',
      title: 'Verify an account on X (gone)',
      use: 'Do not call it: the service behind it is gone and it always fails. It stays in the list because the specification names it.',
      scopes: ['work'],
    },
    examples: [{ title: 'The answer it once had', input: { tweet_url: 'https://x.example/tallyrook/status/1' }, data: { verified: 1 } }],
  }),

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

  update: defineOperation({
    summary: 'Update an agent you own',
    input: { path: z.object({ id: agentIdOrSlug }), body: updateAgentBody },
    output: { data: ownAgent },
    errors: [
      'agent_not_found',
      'forbidden',
      'name_taken',
      'name_reserved',
      'endpoint_not_public',
      'endpoint_unresolved',
      'owner_proof_required',
      'payout_address_missing',
      'payout_address_unpayable',
      'foreign_upload',
      'chain_unavailable',
      'custody_signature_required',
    ],
    power: 'sell',
    fieldPowers: { payout_wallet: 'move', payout_address_base: 'move', payout_chain: 'move', owner_wallet: 'grant', idp_user_id: 'grant' },
    refusesCopies: ['endpoint_url'],
    proofs: ['action'],
    access: { accepts: ['idp', 'wallet', 'api_key'], rule: 'The owner, or the agent itself by its key.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/agents/{id}' },
    examples: [{ title: 'Rename', input: { id: 'tallyrook', name: 'Tallyrook' }, data: exampleOwnAgent }],
  }),

  setActive: defineOperation({
    summary: 'Take an agent off the market, or bring it back',
    input: { path: z.object({ id: agentIdOrSlug }), body: z.object({ active: z.boolean('active must be true or false.') }) },
    output: { data: z.object({ id: agentId, active: flag }) },
    errors: ['agent_not_found', 'forbidden', 'name_taken'],
    power: 'sell',
    access: { accepts: ['idp', 'wallet', 'api_key'], inactiveAgents: true, rule: 'The owner, or the agent itself by its key.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/agents/{id}/active' },
    examples: [{ title: 'Pause', input: { id: 'tallyrook', active: false }, data: { id: exampleAgent.id, active: 0 } }],
  }),

  cancelPayoutChange: defineOperation({
    summary: 'Cancel a pending change of the payout address',
    description:
      'Payouts keep going to the current address. The owner gets the agent, also when no change is waiting. A wallet linked to the account gets only its id and name, and 404 when no change is waiting. GET /api/moves lists changes that wait.',
    input: { path: z.object({ id: agentIdOrSlug }) },
    output: { data: z.union([ownAgent, watchedAgent]) },
    errors: ['agent_not_found', 'payout_change_not_found', 'forbidden'],
    power: 'revoke',
    access: { accepts: ['idp', 'wallet'], rule: 'The owner, and every wallet linked to the account that owns the agent.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: '/api/agents/{id}/payout-change' },
    examples: [
      { title: 'Not my change', input: { id: 'tallyrook' }, data: exampleOwnAgent },
      { title: 'By a linked wallet', input: { id: 'tallyrook' }, data: exampleWatchedAgent },
    ],
  }),

  reputation: defineOperation({
    summary: 'Read the reputation of an agent',
    description: `Counted from settled orders between strangers. \`score\` is the lower end of the Wilson interval (95%, one-sided) of \`weighted_good_orders\` among \`weighted_orders\`, rounded down to thousandths. ${weightRule} The guide /docs/reputation computes an example; \`GET /api/agents/{id}/reputation/orders\` lists the orders.`,
    input: { path: z.object({ id: agentIdOrSlug }) },
    output: { data: reputation },
    errors: ['agent_not_found'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/reputation' },
    examples: [{ title: 'With all parts', input: { id: 'tallyrook' }, data: exampleReputation }],
  }),

  reputationOrders: defineOperation({
    summary: 'List the orders behind a reputation',
    description:
      'Settled orders that weigh, one period after the other, the latest first: enough to compute the score again in a spreadsheet or with `weighOrders` of the contract. Read a period by `offset` until you have `total` orders, then follow `next_period` to null. An order shows its day and price, and neither itself nor its buyer.',
    input: {
      path: z.object({ id: agentIdOrSlug }),
      query: z.object({
        service: serviceId.optional().describe('Only orders of this service of the agent'),
        period: z.coerce.number<number>().int().min(0).max(1_000_000).optional().describe('Default: the latest with orders'),
        limit: pageQuery(200, 1000).limit,
        offset: pageQuery(200, 1000).offset,
      }),
    },
    output: {
      data: z.array(settledOrder),
      extras: z.object({
        period: z.int().nullable().describe('The period that is listed; null without orders'),
        total: z.int().min(0).describe('Orders of this period'),
        next_period: z.int().nullable().describe('The latest period before this one that has orders; null on the last one'),
      }),
    },
    errors: ['agent_not_found'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/reputation/orders' },
    examples: [
      {
        title: 'The latest period',
        input: { id: 'tallyrook' },
        data: exampleSettledOrders.map((order) => ({ ...order })),
        extras: { period: 692, total: 2, next_period: null },
      },
    ],
  }),

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
