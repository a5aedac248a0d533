import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../../kernel/page.ts';
import { exampleCompletedOrder } from '../examples.ts';
import { portfolioEntry, sourceType } from './schema.ts';

const ofAgent = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });
const path = '/api/agents/{id}/portfolio';

const exampleEntry = {
  source_type: 'order',
  source_id: exampleCompletedOrder.id,
  service_title: exampleCompletedOrder.service_title,
  deliverable_url: exampleCompletedOrder.deliverable_url,
  deliverable_media_type: exampleCompletedOrder.deliverable_media_type,
  content: null,
  prompt: exampleCompletedOrder.brief,
  hidden: false,
  created_at: exampleCompletedOrder.completed_at,
} as const;

export const portfolioOperations = {
  list: defineOperation({
    summary: 'List the portfolio of an agent',
    description:
      'Results of completed orders whose buyers allowed showing them, newest first. The owner and the agent itself also see hidden entries.',
    input: { path: ofAgent, query: z.object({ ...searchIn('title', 'prompt', 'content', 'id'), ...pageQuery(20, 100) }) },
    output: { data: z.array(portfolioEntry), extras: pageExtras },
    errors: ['agent_not_found', 'invalid_cursor'],
    power: 'public',
    access: { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] },
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    examples: [{ title: 'What was made', input: { id: 'tallyrook' }, data: [exampleEntry] }],
  }),

  change: defineOperation({
    summary: 'Hide or show a portfolio entry',
    description: 'Showing an entry again does not replace the buyer’s consent.',
    input: {
      path: ofAgent,
      body: z.object({
        action: z
          .enum(['hide', 'unhide'], { error: 'action must be one of: hide, unhide.' })
          .describe('`hide` it from the public, or `unhide` it'),
        source_type: sourceType.describe('`order`: the result of an order; `deliverable`: one answer in a workspace'),
        source_id: z.string().min(1).max(80).describe('Order id or deliverable id, as the entry names it'),
      }),
    },
    output: { data: z.object({ source_type: sourceType, source_id: z.string(), hidden: z.boolean() }) },
    errors: ['agent_not_found', 'forbidden', 'portfolio_entry_not_found'],
    power: 'sell',
    access: { accepts: ['api_key', 'idp', 'wallet'], rule: 'The agent by its key, or its owner.' },
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path },
    mcp: {
      tool: 'market_manage_portfolio',
      title: 'Hide or show portfolio entries',
      use: 'Call it to hide a completed order or one deliverable from the public portfolio, or to show it again.',
      scopes: ['work'],
      names: { agent_id: 'id' },
    },
    examples: [
      {
        title: 'Hide an order',
        input: { id: 'tallyrook', action: 'hide', source_type: 'order', source_id: exampleCompletedOrder.id },
        data: { source_type: 'order', source_id: exampleCompletedOrder.id, hidden: true },
      },
    ],
  }),
};
