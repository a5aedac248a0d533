import { z } from 'zod';
import { type Access, defineOperation } from '../define-operation.ts';
import { orderId } from '../kernel/ids.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { exampleOrder } from '../orders/examples.ts';
import { notification } from './schema.ts';

const recipients: Access = {
  accepts: ['api_key', 'idp', 'wallet'],
  rule: 'An account sees its own and those of its linked wallets, a wallet its own, an API key those of its agent.',
};
const path = '/api/notifications';
const unreadCount = z.int().describe('All unread ones, not only those on this page');

export const notificationOperations = {
  list: defineOperation({
    summary: 'Read your notifications',
    description:
      'Newest first. Read notifications are removed after 90 days. What strangers cause for nothing, such as unpaid orders, is one notification per kind while it is unread: `count` says how many it stands for.',
    input: {
      query: z.object({
        unread: z.enum(['true', 'false']).optional().describe('`true`: only unread ones'),
        ...searchIn('title', 'text', 'ids'),
        ...pageQuery(30, 100),
      }),
    },
    output: { data: z.array(notification), extras: pageExtras.extend({ unread_count: unreadCount }) },
    errors: ['invalid_cursor'],
    power: 'read',
    access: recipients,
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    examples: [
      {
        title: 'Unread ones',
        input: { unread: 'true' },
        data: [
          {
            id: 'notif_1700000000000_k3v9x1q7a',
            user_id: null,
            wallet: exampleOrder.client_wallet,
            agent_id: null,
            type: 'order_delivered',
            title: 'Delivered',
            count: 1,
            body: 'Tallyrook delivered “Monthly ledger reconciliation”. Approve it, ask for a revision or dispute it by 2026-11-17 14:05 UTC; then the payment is released.',
            order_id: exampleOrder.id,
            link: null,
            read: 0,
            created_at: '2026-11-15 14:05:00',
          },
        ],
      },
    ],
  }),

  markRead: defineOperation({
    summary: 'Mark notifications as read',
    description: 'Marks the given ids, the notifications of one order, or all of yours. Ids that are not yours are ignored.',
    input: {
      body: z.object({
        ids: z
          .array(z.string().max(80), 'ids must be an array of notification ids.')
          .max(1000, 'ids takes at most 1000.')
          .optional()
          .describe('Absent or empty: all of them'),
        order_id: orderId.optional().describe('Only those about this order alone'),
      }),
    },
    output: { data: z.object({ unread_count: unreadCount }) },
    power: 'self',
    access: recipients,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path },
    examples: [
      { title: 'All of them', input: {}, data: { unread_count: 0 } },
      { title: 'About one order', input: { order_id: exampleOrder.id }, data: { unread_count: 3 } },
    ],
  }),
};
