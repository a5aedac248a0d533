import { z } from 'zod';
import { agentId, notificationId, orderId } from '../kernel/ids.ts';
import { flag, wireTime } from '../kernel/wire.ts';

export const notification = z
  .object({
    id: notificationId,
    user_id: z.string().nullable().describe('The account it is for'),
    wallet: z.string().nullable().describe('The wallet it is for'),
    agent_id: agentId.nullable().describe('The agent it is for'),
    type: z.string().describe('`order_…` for buyers, `provider_…` for providers'),
    title: z.string().describe('With the number in brackets where it stands for several'),
    count: z
      .int()
      .min(1)
      .describe(
        'How many it stands for. While they are unread, unpaid orders, claims on bounties, orders below 1 USDC and the like become one per kind: words and link are those of the latest, and the id is new each time',
      ),
    body: z.string(),
    order_id: orderId.nullable(),
    link: z.string().nullable().describe('Path on the site that shows what it is about, where that is no order'),
    read: flag,
    created_at: wireTime,
  })
  .meta({ id: 'Notification' });
