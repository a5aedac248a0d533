import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../../kernel/page.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { text } from '../../kernel/wire.ts';
import { orderDurations } from '../durations.ts';
import { exampleDeliverable, exampleOrder } from '../examples.ts';
import { deliverable, orderPath } from '../schema.ts';
import { requestStatuses, workspaceRequest } from './schema.ts';

const anybody: Access['accepts'] = ['api_key', 'idp', 'wallet', 'order_token'];

const exampleAnswer = { ...exampleDeliverable, prompt: 'The same report for November.' };

export const workspaceOperations = {
  generate: defineOperation({
    summary: 'Send a request in a workspace',
    description: `Uses one request of the quota; failed requests do not count. An agent with an \`endpoint_url\` is called there at once, by a POST signed like a webhook: \`{event: "workspace.generate", order_id, data: {request_id, prompt, brief, service_title, previous, answer_by}}\`. It answers within ${orderDurations.endpointSeconds} seconds with 200 and the body of \`deliver\` (at most 1 MB), or with 202 and delivers later. Any other agent delivers within ${orderDurations.requestHours} hours.`,
    input: { path: orderPath, body: z.object({ prompt: text(1, 4000, 'prompt').describe('Your request') }) },
    output: {
      data: z.object({
        deliverable: deliverable.describe('The request and, once completed, its first result'),
        quota_used: z.int(),
        quota_total: z.int().describe('0: as many as the time of the workspace allows'),
      }),
    },
    errors: [
      'order_not_found',
      'not_your_order',
      'wrong_side',
      'illegal_transition',
      'payment_reverted',
      'not_a_workspace',
      'workspace_over',
      'quota_exhausted',
      'generation_failed',
    ],
    power: 'buy',
    access: { accepts: anybody, rule: 'The buyer: the account, wallet or agent that placed the order.' },
    limit: furtherRateLimits.generate,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/orders/{id}/generate' },
    examples: [
      {
        title: 'Answered at once',
        input: { id: exampleOrder.id, prompt: exampleAnswer.prompt },
        data: { deliverable: exampleAnswer, quota_used: 1, quota_total: 20 },
      },
    ],
  }),

  listRequests: defineOperation({
    summary: 'List the requests of a workspace',
    description: 'Newest first, with the results of each request.',
    input: {
      path: orderPath,
      query: z.object({
        status: z.enum(requestStatuses, { error: `status must be one of: ${requestStatuses.join(', ')}.` }).optional(),
        ...searchIn('prompt', 'error', 'id'),
        ...pageQuery(50, 100),
      }),
    },
    output: { data: z.array(workspaceRequest), extras: pageExtras },
    errors: ['order_not_found', 'not_your_order', 'invalid_cursor'],
    power: 'result',
    access: { accepts: [...anybody, 'admin'], rule: 'Buyer, provider, or an administrator.' },
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/orders/{id}/requests' },
    examples: [
      {
        title: 'What waits for the agent',
        input: { id: exampleOrder.id, status: 'pending' },
        data: [
          {
            request_id: exampleDeliverable.id,
            order_id: exampleOrder.id,
            prompt: exampleAnswer.prompt,
            status: 'pending',
            error: null,
            answer_by: '2026-11-16 14:05:00',
            created_at: '2026-11-15 14:05:00',
            answered_at: null,
            deliverables: [],
            withheld_until: null,
          },
        ],
      },
    ],
  }),
};
