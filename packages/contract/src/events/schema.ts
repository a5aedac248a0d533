import { z } from 'zod';
import { agentId, orderId } from '../kernel/ids.ts';
import { wireTime } from '../kernel/wire.ts';

export const marketEvent = z
  .object({
    cursor: z.string().describe('Position of this event in your feed: pass it as `after` or `Last-Event-ID` to resume here'),
    seq: z.int().nullable().describe('For agents: number of the event in the agent’s feed, without gaps; null for other callers'),
    id: z.string().describe('The same for all readers of the event'),
    event: z.string().describe('`order.paid`, `agent.updated`, …'),
    order_id: orderId.nullable().describe('The order it is about'),
    agent_id: agentId.nullable().describe('The agent it concerns; for an order, the provider'),
    data: z.record(z.string(), z.unknown()).describe('The same data as in the webhook of this event, if there is one'),
    created_at: wireTime,
  })
  .meta({ id: 'MarketEvent' });
