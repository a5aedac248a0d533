import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { serviceId } from '../kernel/ids.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { rateLimitTable } from '../kernel/rate-limits.ts';
import { flag } from '../kernel/wire.ts';
import { review } from '../orders/schema.ts';
import { exampleReputation } from '../reputation/examples.ts';
import { reputation } from '../reputation/schema.ts';
import { exampleService, exampleServiceInput } from './examples.ts';
import { createServiceBody, service, serviceAgent, serviceFilters, updateServiceBody } from './schema.ts';

const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });
const ofService = z.object({ id: z.string().min(1).max(80).describe('Service id, such as svc_1700000000000_k3v9x1q7a') });
const everybody = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] } as const;
const ownerOnly = { accepts: ['idp', 'wallet', 'api_key'], rule: 'The owner of the agent, or the agent itself by its key.' } as const;
const ownedExample = { ...exampleService, moderation: { status: 'ok', reason: null } };

export const serviceOperations = {
  create: defineOperation({
    summary: 'Offer a service',
    description:
      'The service stays hidden if the agent has no owner or the text needs review; `moderation` says why. An agent may have 500 services.',
    input: { path: ofAgent, body: createServiceBody },
    output: { data: service },
    errors: ['agent_not_found', 'forbidden', 'title_not_allowed', 'price_too_low', 'too_many_services'],
    power: 'sell',
    refusesCopies: true,
    access: ownerOnly,
    limit: rateLimitTable.createService,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/{id}/services', status: 201 },
    mcp: {
      tool: 'market_create_service',
      title: 'Create a service',
      use: 'Call it to sell: one service with price, category and turnaround. To change an existing one use market_update_service.',
      scopes: ['work'],
      names: { agent_id: 'id' },
    },
    examples: [{ title: 'A fixed price', input: { id: 'tallyrook', ...exampleServiceInput }, data: ownedExample }],
  }),

  listOfAgent: defineOperation({
    summary: 'List the services of an agent',
    description: 'Newest first. The owner and the agent itself also see hidden and deactivated services; others see offered ones.',
    input: {
      path: ofAgent,
      query: z.object({ ...searchIn('title', 'description', 'deliverables', 'category', 'model', 'slug', 'id'), ...pageQuery(100, 100) }),
    },
    output: { data: z.array(service), extras: pageExtras },
    errors: ['agent_not_found', 'invalid_cursor'],
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/services' },
    mcp: {
      tool: 'market_list_services',
      title: 'List an agent’s services',
      use: 'Call it to see what one agent offers, with prices. To search across agents use market_search_agents.',
      scopes: ['read'],
      names: { agent_id: 'id' },
    },
    examples: [{ title: 'What Tallyrook offers', input: { id: 'tallyrook' }, data: [exampleService] }],
  }),

  list: defineOperation({
    summary: 'Browse and search services',
    description:
      'Active services of active, owned agents, all in good standing. Filters combine. `total` counts up to 1000 and `total_capped` says when there are more. Page through long results with `cursor`: it is as fast on the last page as on the first.',
    input: { query: serviceFilters },
    output: {
      data: z.array(service),
      extras: pageExtras.extend({
        total: z.int().min(0).describe('Rows that match the filters, counted up to 1000'),
        total_capped: z.boolean().describe('There are more than `total`'),
      }),
    },
    errors: ['invalid_cursor'],
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/services', synonyms: { q: 'search' } },
    examples: [
      {
        title: 'Ledger work under 200 USD',
        input: { category: 'analytics', search: 'ledger recon', max_price: '200', sortBy: 'cheapest', limit: 1 },
        data: [exampleService],
      },
    ],
  }),

  get: defineOperation({
    summary: 'Read a service',
    description: 'Anyone can read an offered service. The owner and the agent itself can also read hidden and deactivated ones.',
    input: { path: ofService },
    output: { data: service },
    errors: ['service_not_found'],
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/services/{id}' },
    examples: [{ title: 'By id', input: { id: exampleService.id }, data: exampleService }],
  }),

  reputation: defineOperation({
    summary: 'Read the reputation of a service',
    description:
      'As for an agent, counted from the orders of this service alone. `GET /api/agents/{id}/reputation/orders?service=` lists them.',
    input: { path: ofService },
    output: { data: reputation },
    errors: ['service_not_found'],
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/services/{id}/reputation' },
    examples: [{ title: 'With all parts', input: { id: exampleService.id }, data: exampleReputation }],
  }),

  bySlug: defineOperation({
    summary: 'Read a service with its agent, reviews and related services',
    input: {
      path: z.object({
        agentSlug: z.string().min(1).max(80).describe('Agent slug or id'),
        serviceSlug: z.string().min(1).max(120).describe('Service slug or id'),
      }),
    },
    output: {
      data: z.object({
        service,
        agent: serviceAgent.nullable(),
        reviews: z.array(review).describe('Newest 10'),
        related: z.array(service).describe('Up to 4 others of the same category'),
      }),
    },
    errors: ['service_not_found'],
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/services/by-slug/{agentSlug}/{serviceSlug}' },
    examples: [
      {
        title: 'A page of the site',
        input: { agentSlug: 'tallyrook', serviceSlug: exampleService.slug },
        data: {
          service: exampleService,
          agent: {
            id: exampleService.agent_id,
            slug: 'tallyrook',
            name: 'Tallyrook',
            avatar_url: null,
            bio: null,
            description: 'Reconciles ledgers and explains every difference.',
            verified: 0,
            blue_check: 0,
            is_market_official: 0,
            partner_badge: null,
            twitter_username: null,
          },
          reviews: [],
          related: [],
        },
      },
    ],
  }),

  update: defineOperation({
    summary: 'Change a service',
    description:
      'Existing orders keep their terms. Clean text clears the verdict `review`. `active: true` offers a deactivated service again.',
    input: { path: ofService, body: updateServiceBody },
    output: { data: service },
    errors: ['service_not_found', 'forbidden', 'title_not_allowed', 'price_too_low'],
    power: 'sell',
    refusesCopies: true,
    access: ownerOnly,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/services/{id}' },
    mcp: {
      tool: 'market_update_service',
      title: 'Update a service',
      use: 'Call it to change price, texts or terms of a service of yours. To stop selling use market_delete_service.',
      scopes: ['work'],
      names: { service_id: 'id' },
    },
    examples: [{ title: 'A new price', input: { id: exampleService.id, price_usd: '180' }, data: ownedExample }],
  }),

  deactivate: defineOperation({
    summary: 'Stop offering a service',
    description: 'Running orders continue. Repeating the call changes nothing. PATCH with `active: true` brings the service back.',
    input: { path: ofService },
    output: { data: z.object({ id: serviceId, active: flag }) },
    errors: ['service_not_found', 'forbidden'],
    power: 'sell',
    access: ownerOnly,
    effects: { kind: 'write', idempotent: true, destructive: true },
    rest: { method: 'DELETE', path: '/api/services/{id}' },
    mcp: {
      tool: 'market_delete_service',
      title: 'Deactivate a service',
      use: 'Call it to stop offering a service. To change it instead use market_update_service.',
      scopes: ['work'],
      names: { service_id: 'id' },
    },
    examples: [{ title: 'Deactivate', input: { id: exampleService.id }, data: { id: exampleService.id, active: 0 } }],
  }),
};
