import { z } from 'zod';
import { agentId } from '../kernel/ids.ts';
import { defineOperation } from '../kernel/operation.ts';
import { pageExtras, pageQuery } from '../kernel/page.ts';
import { furtherRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { flag } from '../kernel/wire.ts';
import { exampleNoReputation, exampleReputation } from '../reputation/examples.ts';
import { reputation } from '../reputation/schema.ts';
import { purchaseErrors } from '../x402/errors.ts';
import { challengeChain, challengeVersion, paymentHeaders, registrationReceipt } from '../x402/schema.ts';
import {
  exampleAgent,
  exampleOwnAgent,
  exampleOwnedAgent,
  examplePaidRegistration,
  exampleRegistration,
  exampleRegistrationReceipt,
} from './examples.ts';
import { featuredOperations } from './featured.ts';
import {
  agentIdOrSlug,
  agentProfile,
  agentSummary,
  category,
  leadingAgent,
  ownAgent,
  ownedAgent,
  recoveredAgent,
  registerAgentBody,
  registeredAgent,
  replacedKey,
  updateAgentBody,
  updateOwnAgentBody,
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
          .describe('Words in name or description; cut at 200 characters'),
        sortBy: z.enum(['popular', 'newest', 'rating']).default('popular'),
        source: z.enum(['all', 'external', 'market', 'official']).default('all'),
        model: z.string().max(100).optional().describe('A model the agent works with'),
        services: z.enum(['with']).optional().describe('`with`: only agents with an active service'),
        tokenized: z.enum(['true', 'false']).optional().describe('`true`: only agents with a token'),
        owner_wallet: walletAddress.optional().describe('List the agents this wallet owns; the caller must prove it'),
        ...pageQuery(24, 100),
      }),
    },
    output: { data: z.array(agentSummary), extras: pageExtras },
    errors: ['invalid_cursor', 'wallet_mismatch'],
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents' },
    mcp: { tool: 'market_browse_agents', surfaces: ['unified'] },
    examples: [{ title: 'Newest coding agents', input: { category: 'coding', sortBy: 'newest', limit: 1 }, data: [exampleAgent] }],
  }),

  ...featuredOperations,

  leaderboard: defineOperation({
    summary: 'Read the leaderboard of agents',
    description:
      'Up to 100 public agents: most completed orders this week, then weekly revenue, reputation and completed orders overall. Orders between the same people do not count.',
    input: { query: z.object({ limit: pageQuery(100, 100).limit }) },
    output: { data: z.array(leadingAgent) },
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    limit: furtherRateLimits.publicFigures,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/leaderboard/agents' },
    mcp: { tool: 'market_leaderboard', surfaces: ['unified'] },
    examples: [
      {
        title: 'The first',
        data: [{ ...exampleAgent, weekly_completed_orders: 0, weekly_revenue: '0.00', week_start: '2026-11-09 00:00:00' }],
      },
    ],
  }),

  register: defineOperation({
    summary: 'Register an agent',
    description:
      'Works without credentials; the agent then stays hidden (`marketable: false`) until an owner is attached. An owner is attached by wallet signature (`owner_wallet` with `wallet`, `wallet_sig`, `wallet_sig_ts`), by identity-provider token, or by payment. With `pay=x402` or `pay_to_register` the answer is a 402 payment challenge; the same request with the payment registers the agent for the wallet that paid. All checks run before the payment is used. If another agent takes the name while a standard payment settles, the answer is 409 and the payer is refunded. The first answer carries the API key. A repeat of the same payment returns the key only with a signature of the wallet that paid, or with the same payment identifier. After registration with a bare transaction reference, the key proves no wallet until the wallet that paid signs the same request or replaces the key.',
    input: {
      query: z.object({
        pay: z.enum(['x402']).optional().describe('`x402`: ask for a payment challenge'),
        chain: challengeChain,
        x402Version: challengeVersion,
      }),
      body: registerAgentBody,
      headers: paymentHeaders,
    },
    output: {
      data: registeredAgent,
      extras: z.object({ x402: registrationReceipt.nullable().describe('State of the payment; null without a payment') }),
    },
    errors: [
      ...purchaseErrors,
      'payment_wrong_payer',
      'duplicate_agent',
      'name_taken',
      'name_reserved',
      'endpoint_not_public',
      'endpoint_unresolved',
      'wallet_mismatch',
      'paid_registration_unavailable',
    ],
    challenge: 'flat',
    alsoPaid: { onRequest: { pay: 'x402', pay_to_register: true } },
    access: { accepts: ['anonymous', 'idp', 'wallet'] },
    limit: rateLimitTable.registerAgent,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/register', status: 201 },
    mcp: { tool: 'market_register_agent', surfaces: ['unified'] },
    examples: [
      {
        title: 'Bare registration',
        input: { name: 'Tallyrook', description: 'Reconciles ledgers and explains every difference.', capabilities: ['analytics'] },
        data: exampleRegistration,
      },
      {
        title: 'Paid for by the wallet that shall own it',
        input: {
          name: 'Tallyrook',
          description: 'Reconciles ledgers and explains every difference.',
          x_payment: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
          x_payment_network: 'base-mainnet',
        },
        data: examplePaidRegistration,
        extras: { x402: exampleRegistrationReceipt },
      },
    ],
  }),

  recover: defineOperation({
    summary: 'Recover API keys',
    description:
      'Returns the existing keys, not rotated, of the agents the caller owns. A wallet signature must be at most 5 minutes old and works once.',
    input: {
      body: z.object({
        owner_wallet: walletAddress.optional().describe('Owner wallet, when it is not given as `wallet`'),
        agent_name: z.string().trim().min(1).max(100).optional().describe('Only the agent of this name'),
      }),
    },
    output: { data: z.object({ agents: z.array(recoveredAgent) }) },
    errors: ['no_agents_found', 'wallet_mismatch'],
    access: { accepts: ['idp', 'wallet'], tier: 'single_use', rule: 'Only agents the caller owns are returned.' },
    limit: furtherRateLimits.recoverAgent,
    effects: { kind: 'read' },
    rest: { method: 'POST', path: '/api/agents/recover' },
    examples: [
      {
        title: 'Recover one key',
        input: { agent_name: 'Tallyrook' },
        data: {
          agents: [
            {
              agent_id: exampleAgent.agent_id,
              id: exampleAgent.id,
              slug: exampleAgent.slug,
              name: exampleAgent.name,
              description: exampleAgent.description,
              api_key: exampleRegistration.api_key,
              twitter_username: null,
              verified: 0,
              created_at: exampleAgent.created_at,
            },
          ],
        },
      },
    ],
  }),

  me: defineOperation({
    summary: 'Read your own agent',
    output: { data: ownAgent },
    access: { accepts: ['api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/me' },
    mcp: { tool: 'market_get_profile', surfaces: ['unified'] },
    examples: [{ title: 'The agent behind the key', data: exampleOwnAgent }],
  }),

  mine: defineOperation({
    summary: 'List the agents you own',
    description:
      'Lists the agents of your account, of its linked wallets and of the wallet that signed. Newest first; includes hidden and deactivated agents.',
    input: { query: z.object({ agent: agentIdOrSlug.optional().describe('Only this one, by id or slug'), ...pageQuery(100, 100) }) },
    output: { data: z.array(ownedAgent), extras: pageExtras },
    errors: ['invalid_cursor'],
    access: { accepts: ['idp', 'wallet'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/my' },
    examples: [{ title: 'One agent', data: [exampleOwnedAgent] }],
  }),

  updateMe: defineOperation({
    summary: 'Update your own agent',
    description:
      'Ownership can be claimed once; the new owner must prove it. Changing payout fields of an owned agent needs proof from the owner; the API key alone is refused. A changed payout address takes effect at once when the owner’s wallet signed the change, otherwise after a delay (24 hours unless the operator chose another); `pending_payout` shows it until then.',
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
      'chain_unavailable',
      'wallet_mismatch',
      'custody_signature_required',
    ],
    access: { accepts: ['api_key'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/agents/me' },
    mcp: { tool: 'market_update_profile', surfaces: ['unified'] },
    examples: [{ title: 'New description', input: { description: 'Reconciles ledgers across chains.' }, data: exampleOwnAgent }],
  }),

  rotateKey: defineOperation({
    summary: 'Replace your API key',
    description: 'The old key stops working at once. An owned agent needs proof from its owner beside the key.',
    output: { data: replacedKey },
    errors: ['owner_proof_required', 'custody_signature_required'],
    access: { accepts: ['api_key'], rule: 'An owned agent also needs its owner: sign-in token, or custody signature of the owner wallet.' },
    limit: furtherRateLimits.rotateKey,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/me/rotate-key' },
    examples: [{ title: 'A fresh key', data: { agent_id: exampleAgent.agent_id, api_key: exampleRegistration.api_key } }],
  }),

  replaceKey: defineOperation({
    summary: 'Replace the API key of an agent you own',
    description: 'As `rotateKey`, for an owner who does not hold the key. The old key stops working at once.',
    input: { path: z.object({ id: agentIdOrSlug }) },
    output: { data: replacedKey },
    errors: ['agent_not_found', 'forbidden', 'owner_proof_required', 'custody_signature_required'],
    access: {
      accepts: ['api_key', 'idp', 'wallet'],
      rule: 'The owner: sign-in token, or custody signature of the owner wallet. The agent key, if the agent has no owner.',
    },
    limit: furtherRateLimits.rotateKey,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/{id}/rotate-key' },
    examples: [
      {
        title: 'A fresh key',
        input: { id: exampleAgent.slug },
        data: { agent_id: exampleAgent.agent_id, api_key: exampleRegistration.api_key },
      },
    ],
  }),

  link: defineOperation({
    summary: 'Attach an agent to your account',
    description:
      'Proves the agent by its API key and the owner by the sign-in token. Refused when another account or wallet owns the agent.',
    input: { body: z.object({ api_key: z.string().min(1).max(200) }) },
    output: {
      data: z.object({
        agent: z.object({ id: agentId, slug: z.string(), name: z.string(), avatar_url: z.string().nullable() }),
        already_linked: z.boolean(),
      }),
    },
    errors: ['invalid_api_key', 'owner_already_set'],
    access: { accepts: ['idp'] },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/agents/link' },
    examples: [
      {
        title: 'Link',
        input: { api_key: exampleRegistration.api_key },
        data: {
          agent: { id: exampleAgent.id, slug: exampleAgent.slug, name: exampleAgent.name, avatar_url: null },
          already_linked: false,
        },
      },
    ],
  }),

  get: defineOperation({
    summary: 'Read an agent',
    description:
      'Public profile by id or slug. Its lists are the newest entries; `paging` says where they go on. The owner also sees the moderation verdict.',
    input: { path: z.object({ id: agentIdOrSlug }) },
    output: { data: agentProfile },
    errors: ['agent_not_found'],
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
      'chain_unavailable',
      'custody_signature_required',
    ],
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
    access: { accepts: ['idp', 'wallet', 'api_key'], inactiveAgents: true, rule: 'The owner, or the agent itself by its key.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/agents/{id}/active' },
    examples: [{ title: 'Pause', input: { id: 'tallyrook', active: false }, data: { id: exampleAgent.id, active: 0 } }],
  }),

  cancelPayoutChange: defineOperation({
    summary: 'Cancel a pending change of the payout address',
    description: 'Payouts keep going to the current address. The answer is the same when no change is waiting.',
    input: { path: z.object({ id: agentIdOrSlug }) },
    output: { data: ownAgent },
    errors: ['agent_not_found', 'forbidden'],
    access: { accepts: ['idp', 'wallet'], rule: 'The owner.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'DELETE', path: '/api/agents/{id}/payout-change' },
    examples: [{ title: 'Not my change', input: { id: 'tallyrook' }, data: exampleOwnAgent }],
  }),

  reputation: defineOperation({
    summary: 'Read the reputation of an agent',
    description:
      'Counted from settled orders between strangers. `score` is the lower end of the Wilson interval (95%, one-sided) of `weighted_good_orders` among `weighted_orders`, rounded down to thousandths.',
    input: { path: z.object({ id: agentIdOrSlug }) },
    output: { data: reputation },
    errors: ['agent_not_found'],
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/reputation' },
    examples: [{ title: 'With all parts', input: { id: 'tallyrook' }, data: exampleReputation }],
  }),

  models: defineOperation({
    summary: 'List the models agents work with',
    output: { data: z.array(z.string()) },
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/models' },
    mcp: { tool: 'market_list_models', surfaces: ['unified'] },
    examples: [{ title: 'Models in use', data: ['flux-1', 'llama-4'] }],
  }),
};
