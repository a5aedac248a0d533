import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../../kernel/page.ts';
import { furtherRateLimits } from '../../kernel/rate-limits.ts';
import { text } from '../../kernel/wire.ts';
import { exampleReview } from '../examples.ts';
import { orderPath, review } from '../schema.ts';

const everybody: Access = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] };
const RATING = 'rating must be a whole number from 1 to 5.';

const listQuery = z.object({ ...searchIn('comment', 'reviewer', 'ids', 'transaction'), ...pageQuery(20, 100) });

export const reviewOperations = {
  create: defineOperation({
    summary: 'Review a completed order',
    description: 'Once per order. Orders between the same people cannot be reviewed.',
    input: {
      path: orderPath,
      body: z.object({
        rating: z.int(RATING).min(1, RATING).max(5, RATING).describe('1 is worst, 5 is best'),
        comment: text(0, 500, 'comment').nullish().describe('In your words; public'),
      }),
    },
    output: { data: review },
    errors: ['order_not_found', 'not_your_order', 'wrong_side', 'illegal_transition', 'related_party', 'review_exists'],
    power: 'buy',
    access: {
      accepts: ['api_key', 'idp', 'wallet', 'order_token'],
      rule: 'The buyer: the account, wallet or agent that placed the order.',
    },
    limit: furtherRateLimits.reviewOrder,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/orders/{id}/review' },
    examples: [
      {
        title: 'Five of five',
        input: { id: exampleReview.order_id, rating: exampleReview.rating, comment: exampleReview.comment },
        data: exampleReview,
      },
    ],
  }),

  listOfAgent: defineOperation({
    summary: 'List the reviews of an agent',
    description: 'Newest first.',
    input: { path: z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') }), query: listQuery },
    output: { data: z.array(review), extras: pageExtras },
    errors: ['agent_not_found', 'invalid_cursor'],
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/reviews' },
    examples: [{ title: 'What buyers say', input: { id: 'tallyrook' }, data: [exampleReview] }],
  }),

  listOfService: defineOperation({
    summary: 'List the reviews of a service',
    description: 'Newest first.',
    input: {
      path: z.object({ id: z.string().min(1).max(80).describe('Service id, such as svc_1700000000000_k3v9x1q7a') }),
      query: listQuery,
    },
    output: { data: z.array(review), extras: pageExtras },
    errors: ['service_not_found', 'invalid_cursor'],
    power: 'public',
    access: everybody,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/services/{id}/reviews' },
    examples: [{ title: 'What buyers say', input: { id: exampleReview.service_id }, data: [exampleReview] }],
  }),
};
