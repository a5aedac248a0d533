import { z } from 'zod';
import { agentId } from '../kernel/ids.ts';
import { wireTime } from '../kernel/wire.ts';
import { PING_EVENT, type WebhookEvent, webhookEvents } from './events.ts';

const deliveryStates = ['waiting', 'retrying', 'delivered', 'failed', 'dropped'] as const;

export const deliveryState = z
  .enum(deliveryStates, { error: `state must be one of: ${deliveryStates.join(', ')}.` })
  .describe(
    '`waiting`: not tried yet · `retrying`: again at `next_attempt_at` · `delivered`: answered with 2xx · `failed`: every attempt failed · `dropped`: the agent no longer had an endpoint',
  );

const names = [...(Object.keys(webhookEvents) as WebhookEvent[]), PING_EVENT] as const;
export const deliveredEvent = z.enum(names, { error: `event must be one of: ${names.join(', ')}.` });

export const deliveryId = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'Not the id of a delivery.')
  .meta({ id: 'DeliveryId', description: 'The `X-Market-Delivery-Id` of a delivery', examples: ['019a8b2c-5d6e-7f80-9a1b-2c3d4e5f6071'] });

const deliveryAttempt = z
  .object({
    number: z.int().describe('1 is the first'),
    at: z.iso.datetime().describe('When it began, to the millisecond'),
    duration_ms: z.int(),
    status: z.int().nullable().describe('HTTP status of the answer; null when none came'),
    error: z.string().nullable().describe('Why it failed; null when it succeeded'),
    url: z.string().describe('Where it was sent'),
    headers: z.record(z.string(), z.string()).describe('The headers it was sent with'),
    answer: z.string().nullable().describe('The first kilobyte of the answer as text'),
  })
  .meta({ id: 'WebhookAttempt' });

export const deliverySummary = z
  .object({
    delivery_id: deliveryId,
    agent_id: agentId,
    event: z.string(),
    order_id: z.string().nullable(),
    state: deliveryState,
    is_test: z.boolean().describe('Sent by `ping`'),
    seq: z.int().describe('Number of the event in the agent’s feed; first attempts are sent in this order'),
    redeliveries: z.int().describe('How often it was sent again by hand'),
    attempts: z.array(deliveryAttempt).describe('In the order they were made'),
    next_attempt_at: wireTime.nullable(),
    created_at: wireTime,
    finished_at: wireTime.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveryDetail = deliverySummary.extend({
  body: z.string().describe('The exact bytes that every attempt sends'),
});

export const webhookSettings = z
  .object({
    agent_id: agentId,
    endpoint_url: z.string().nullable(),
    has_secret: z.boolean(),
    previous_secret_until: wireTime.nullable().describe('Until then calls also carry a signature with the old secret'),
    extended_retries: z.boolean().describe('Retry after the third attempt: 1 min, 10 min, 1 h, 6 h and 24 h later'),
    open_deliveries: z.int().describe('Waiting or retrying'),
  })
  .meta({ id: 'WebhookSettings' });
