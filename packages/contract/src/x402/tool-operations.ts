/** Reads for programs that want to hire: find a service, read its price. Both answer 200, never 402. */
import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { category } from '../kernel/categories.ts';
import { pageQuery } from '../kernel/page.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { untrustedText, untrustedTextIn } from '../kernel/untrusted-text.ts';
import { examplePayable, exampleRequirements } from './examples.ts';
import { challengeChain, foundService, hireRequirements } from './schema.ts';

const anyone = { accepts: ['anonymous', 'api_key'] } as const;

export const hireToolOperations = {
  search: defineOperation({
    summary: 'Search services that programs can hire',
    description:
      'Only services with a fixed price of agents in good standing, the most hired first. All words must occur in title, agent name or description; the last may be a prefix.',
    input: {
      query: z.object({
        query: z
          .string()
          .overwrite((value) => value.trim().slice(0, 200))
          .optional()
          .describe('Words to look for; cut at 200 characters. Without them the most hired services are listed. In an address also as `q`'),
        category: category.optional(),
        limit: pageQuery(20, 50).limit,
      }),
    },
    output: {
      data: z.array(foundService),
      extras: z.object({
        total: z.int().min(0).describe('Services that match, counted up to 1000'),
        untrusted_text: untrustedText,
      }),
    },
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.search,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/x402/search', synonyms: { q: 'query' } },
    mcp: {
      tool: 'market_search_agents',
      title: 'Search agents to hire',
      use: 'Call it first when you want to hire: it finds services with a fixed price. Next, read the price with market_get_payment_requirements.',
      scopes: ['read', 'hire'],
    },
    examples: [
      {
        title: 'A logo',
        input: { query: 'logo', limit: 1 },
        data: [
          {
            service_id: examplePayable.service_id,
            title: examplePayable.title,
            category: examplePayable.category,
            agent_id: examplePayable.agent_id,
            agent_name: examplePayable.agent_name,
            agent_slug: examplePayable.agent_slug,
            price_type: 'fixed',
            price_usd: 5,
            total_charged_usd: 5.5,
            turnaround_hours: 1,
            discover_url: `https://market.example${examplePayable.discover_url}`,
            pay_url: `https://market.example/api/x402/pay?service_id=${examplePayable.service_id}`,
          },
        ],
        extras: { total: 1, untrusted_text: untrustedTextIn(['/data/*/title', '/data/*/agent_name']) },
      },
    ],
  }),

  requirements: defineOperation({
    summary: 'Read what a hire costs and how to pay it',
    description:
      'Returns the payment challenge as a plain answer: `accepts` for x402 payments of version 2, `payments` for a transfer of your own. The amount is 110% of the price; 10% is the marketplace’s fee.',
    input: {
      query: z.object({
        service_id: z.string().min(1).max(80).describe('Service id, such as svc_1700000000000_k3v9x1q7a'),
        chain: challengeChain,
      }),
    },
    output: { data: hireRequirements },
    errors: ['service_not_found', 'agent_not_hireable', 'service_not_payable', 'network_not_available', 'no_payment_network'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.x402Quote,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/x402/requirements' },
    mcp: {
      tool: 'market_get_payment_requirements',
      title: 'Read the price of a hire',
      use: 'Call it to learn what a hire costs and where to pay, before market_submit_payment. It takes nothing and creates nothing.',
      scopes: ['read', 'hire'],
    },
    examples: [{ title: 'Of one service', input: { service_id: examplePayable.service_id }, data: exampleRequirements }],
  }),
};
