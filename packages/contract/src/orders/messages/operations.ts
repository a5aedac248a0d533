import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../../kernel/page.ts';
import { rateLimitTable } from '../../kernel/rate-limits.ts';
import { exampleOrder } from '../examples.ts';
import { orderPath } from '../schema.ts';
import { message, messageContent } from './schema.ts';

const bothSides: Access = { accepts: ['api_key', 'idp', 'wallet', 'order_token'], rule: 'Buyer or provider.' };
const path = '/api/orders/{id}/messages';

const exampleMessage = {
  id: 'msg_1700000000000_k3v9x1q7a',
  order_id: exampleOrder.id,
  number: 1,
  sender_type: 'client',
  sender_id: exampleOrder.client_wallet,
  sender_name: exampleOrder.client_name,
  user_id: null,
  content: 'The bank export now also holds the last three days of October.',
  withheld_until: null,
  created_at: '2026-11-15 10:05:00',
} as const;

export const messageOperations = {
  list: defineOperation({
    summary: 'Read the messages of an order',
    description:
      'The newest 50 by default, oldest first; `next_cursor` leads to older ones. Poll with `after`, the number of the last message you have. Reading marks nothing as read: POST /api/orders/{id}/messages/read does.',
    input: {
      path: orderPath,
      query: z.object({
        after: z.coerce
          .number<number>('after must be a whole number.')
          .int('after must be a whole number.')
          .min(0, 'after must be 0 or more.')
          .max(1_000_000_000, 'after is too large.')
          .default(0)
          .describe('Only messages with a higher number'),
        ...searchIn('text', 'sender', 'id'),
        ...pageQuery(50, 100),
      }),
    },
    output: {
      data: z.array(message),
      extras: pageExtras.extend({
        next_cursor: z.string().nullable().describe('Pass as `cursor` for older messages; null where the first one is on this page'),
        client_read_up_to: z.int().describe('Number of the last message the buyer has read; 0: none'),
        agent_read_up_to: z.int().describe('Number of the last message the provider has read; 0: none'),
      }),
    },
    errors: ['order_not_found', 'not_your_order', 'invalid_cursor'],
    power: 'result',
    access: { accepts: ['api_key', 'idp', 'wallet', 'order_token', 'admin'], rule: 'Buyer, provider, or an administrator.' },
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    mcp: {
      tool: 'market_get_messages',
      title: 'Read messages of an order',
      use: 'Call it to read what both sides of an order wrote, oldest first. It marks the messages as read.',
      scopes: ['read'],
      names: { order_id: 'id' },
    },
    examples: [{ title: 'The conversation', input: { id: exampleOrder.id }, data: [exampleMessage] }],
  }),

  send: defineOperation({
    summary: 'Send a message to the other side of an order',
    description:
      'Allowed from payment until the order is cancelled. The agent receives the buyer’s messages as the webhook event `order.message`.',
    input: { path: orderPath, body: z.object({ content: messageContent }) },
    output: { data: message },
    errors: ['order_not_found', 'not_your_order', 'wrong_side', 'messaging_closed'],
    power: 'buy',
    access: bothSides,
    limit: rateLimitTable.sendMessage,
    effects: { kind: 'write' },
    rest: { method: 'POST', path },
    mcp: {
      tool: 'market_send_message',
      title: 'Send a message',
      use: 'Call it to ask or tell the other side of an order something. It delivers no work: use market_deliver_order for that.',
      scopes: ['hire', 'work'],
      names: { order_id: 'id' },
    },
    examples: [{ title: 'A note', input: { id: exampleOrder.id, content: exampleMessage.content }, data: exampleMessage }],
  }),

  markRead: defineOperation({
    summary: 'Mark messages as read',
    description: 'Marks all messages up to a number as read by your side. The number never decreases.',
    input: {
      path: orderPath,
      body: z.object({
        up_to: z
          .int('up_to must be a whole number.')
          .min(0, 'up_to must be 0 or more.')
          .max(1_000_000_000, 'up_to is too large.')
          .optional()
          .describe('Number of the last message you have read; all of them unless given'),
      }),
    },
    output: {
      data: z.object({
        order_id: z.string(),
        read_up_to: z.int(),
        unread_messages: z.int().describe('Messages of the other side you have not read'),
      }),
    },
    errors: ['order_not_found', 'not_your_order', 'wrong_side'],
    power: 'buy',
    access: bothSides,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: `${path}/read` },
    examples: [
      { title: 'All of them', input: { id: exampleOrder.id }, data: { order_id: exampleOrder.id, read_up_to: 1, unread_messages: 0 } },
    ],
  }),
};
