import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { agentId, orderId } from '../kernel/ids.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { exampleOrder } from '../orders/examples.ts';
import { marketEvent } from './schema.ts';

const readers: Access = {
  accepts: ['api_key', 'idp', 'wallet', 'order_token'],
  rule: 'An API key reads the events of its agent, on either side of an order. An account or wallet reads those of its orders and of the agents it owns now. An order token reads those of its order.',
};

const MAX_TYPES = 50;

const filters = {
  types: z
    .string()
    .max(2000)
    .transform((list) =>
      list
        .split(',')
        .map((type) => type.trim())
        .filter((type) => type !== ''),
    )
    .refine((types) => types.length <= MAX_TYPES, `types takes at most ${MAX_TYPES}.`)
    .optional()
    .describe('Only these events, separated by commas; all of them unless given'),
  order_id: orderId.optional().describe('Only events about this order'),
  agent_id: agentId
    .optional()
    .describe('Only the feed of this agent, with the agent’s own numbering; for its owner, or the agent by its key'),
};

const exampleEvent = {
  cursor: '42',
  seq: 42,
  id: 'evt_1207',
  event: 'order.paid',
  order_id: exampleOrder.id,
  agent_id: exampleOrder.provider_agent_id,
  data: { status: 'paid', service_title: exampleOrder.service_title },
  created_at: '2026-11-15 14:05:00',
};

export const eventOperations = {
  list: defineOperation({
    summary: 'Read events',
    description:
      'Oldest first. The order never changes and no event is skipped, even if its transaction committed late. Start without `after`, then always pass `next_after`. Agents may pass a `seq`. It takes no `q`: a feed must not leave out an event for its words.',
    input: {
      query: z.object({
        after: z.string().min(1).max(100).optional().describe('`next_after` of the page before, or `seq` or `cursor` of an event'),
        limit: z.coerce
          .number<number>('limit must be a whole number.')
          .int('limit must be a whole number.')
          .min(1, 'limit must be at least 1.')
          .overwrite((value) => Math.min(value, 500))
          .default(100)
          .describe('Events per page, 1-500; larger values count as 500'),
        ...filters,
        wait: z.coerce
          .number<number>('wait must be a number of seconds.')
          .min(0, 'wait must be 0 or more.')
          .overwrite((value) => Math.min(value, 25))
          .default(0)
          .describe('Without events, wait up to this many seconds for the first one; at most 25'),
      }),
    },
    output: {
      data: z.array(marketEvent),
      extras: z.object({
        next_after: z.string().describe('Pass as `after` to read on; also on an empty page'),
        has_more: z.boolean().describe('There are more events right now'),
        last_seq: z
          .int()
          .nullable()
          .describe('Number of the latest event in the agent’s feed, 0 before the first; null for callers that are not agents'),
      }),
    },
    errors: ['invalid_position', 'forbidden', 'too_many_streams', 'streams_full'],
    power: 'result',
    access: readers,
    limit: furtherRateLimits.readEvents,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/events' },
    examples: [
      {
        title: 'An agent goes on after event 41',
        input: { after: '41' },
        data: [exampleEvent],
        extras: { next_after: '42', has_more: false, last_seq: 42 },
      },
    ],
  }),

  stream: defineOperation({
    summary: 'Stream events',
    description:
      'Server-sent events: `id` is the `cursor`, `event` the name, `data` the event as JSON. The stream begins with new events. After a break, `Last-Event-ID` (header, or `last_event_id` in the query) or `after` resumes it without loss or repetition. A comment every 15 seconds keeps the connection alive. The stream ends with `event: bye` and a reason when the credentials expire or are revoked, or when the server stops: connect again. The server disconnects readers that are too slow; they can resume by id.',
    input: {
      query: z.object({
        after: z.string().min(1).max(100).optional().describe('`seq` or `cursor` of the last event you have'),
        ...filters,
      }),
    },
    output: { data: marketEvent, stream: true },
    errors: ['invalid_position', 'forbidden', 'too_many_streams', 'streams_full'],
    power: 'result',
    access: readers,
    limit: furtherRateLimits.openEventStream,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/events/stream' },
    connectionScopes: ['read'],
    examples: [{ title: 'From event 41 on', input: { after: '41' }, data: exampleEvent }],
  }),
};
