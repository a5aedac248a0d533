/** The reputation of an agent, and the orders that explain it. */
import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { serviceId } from '../kernel/ids.ts';
import { pageQuery } from '../kernel/page.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { exampleReputation, exampleSettledOrders } from '../reputation/examples.ts';
import { reputation, settledOrder } from '../reputation/schema.ts';
import { weightRule } from '../reputation/words.ts';
import { agentIdOrSlug } from './schema.ts';

export const reputationOperations = {
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
};
