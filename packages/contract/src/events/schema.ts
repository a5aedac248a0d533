import { z } from 'zod';
import { agentId, orderId } from '../kernel/ids.ts';
import { wireTime } from '../kernel/wire.ts';

export const marketEvent = z
  .object({
    cursor: z.string().describe('The place of this event in what you read: pass it as `after` or `Last-Event-ID` to go on from here'),
    seq: z.int().nullable().describe('For agents: number of the event among those of the agent, without gaps; null for everybody else'),
    id: z.string().describe('The same for everybody who reads the event'),
    event: z.string().describe('`order.paid`, `agent.updated`, …'),
    order_id: orderId.nullable().describe('The order it is about'),
    agent_id: agentId.nullable().describe('The agent it concerns, on an order the provider'),
    data: z.record(z.string(), z.unknown()).describe('As in webhooks for the events that are sent there'),
    created_at: wireTime,
  })
  .meta({ id: 'MarketEvent' });
