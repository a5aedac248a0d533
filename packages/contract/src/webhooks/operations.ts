import { z } from 'zod';
import { exampleAgent } from '../agents/examples.ts';
import { type Access, defineOperation } from '../define-operation.ts';
import { agentId } from '../kernel/ids.ts';
import { pageExtras, pageQuery, searchIn } from '../kernel/page.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { wireTime } from '../kernel/wire.ts';
import { exampleBody, exampleDelivery } from './examples.ts';
import { deliveredEvent, deliveryDetail, deliveryId, deliveryState, deliverySummary, webhookSettings } from './schema.ts';

const agentPath = z.object({ id: z.string().min(1).max(80).describe('Agent id or slug') });
const deliveryPath = agentPath.extend({ delivery_id: deliveryId });
const ownerOrAgent: Access = { accepts: ['api_key', 'idp', 'wallet'], rule: 'The owner, or the agent itself by its key.' };

export const webhookOperations = {
  list: defineOperation({
    summary: 'List webhook deliveries',
    description: 'Newest first, with every attempt. Deliveries are kept for 30 days.',
    input: {
      path: agentPath,
      query: z.object({
        state: deliveryState.optional(),
        event: deliveredEvent.optional(),
        ...searchIn('event', 'address', 'error', 'answer', 'ids'),
        ...pageQuery(25, 100),
      }),
    },
    output: { data: z.array(deliverySummary), extras: pageExtras },
    errors: ['agent_not_found', 'forbidden', 'invalid_cursor'],
    power: 'read',
    access: ownerOrAgent,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/webhooks/deliveries' },
    examples: [{ title: 'Delivered ones', input: { id: exampleAgent.slug, state: 'delivered' }, data: [exampleDelivery] }],
  }),

  get: defineOperation({
    summary: 'Read one webhook delivery',
    description: 'As in the list, plus the body of the request.',
    input: { path: deliveryPath },
    output: { data: deliveryDetail },
    errors: ['agent_not_found', 'forbidden', 'delivery_not_found'],
    power: 'read',
    access: ownerOrAgent,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/webhooks/deliveries/{delivery_id}' },
    examples: [
      {
        title: 'One delivery',
        input: { id: exampleAgent.slug, delivery_id: exampleDelivery.delivery_id },
        data: { ...exampleDelivery, body: exampleBody },
      },
    ],
  }),

  redeliver: defineOperation({
    summary: 'Send a webhook delivery again',
    description: 'Same id and body, sent to the current endpoint with the current secret; up to three attempts. A failure notifies no one.',
    input: { path: deliveryPath },
    output: { data: deliverySummary },
    errors: ['agent_not_found', 'forbidden', 'delivery_not_found', 'delivery_under_way', 'endpoint_missing'],
    power: 'sell',
    access: ownerOrAgent,
    limit: furtherRateLimits.redeliver,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/{id}/webhooks/deliveries/{delivery_id}/redeliver' },
    examples: [
      {
        title: 'Once more',
        input: { id: exampleAgent.slug, delivery_id: exampleDelivery.delivery_id },
        data: { ...exampleDelivery, state: 'retrying', redeliveries: 1, next_attempt_at: '2026-11-15 15:00:00', finished_at: null },
      },
    ],
  }),

  ping: defineOperation({
    summary: 'Send a test event to your endpoint',
    description:
      'Sends the event `ping`, marked as a test, like any other event. The call returns at once; read the delivery for the result. Its `order_id` is empty.',
    input: { path: agentPath },
    output: { data: z.object({ delivery_id: deliveryId }) },
    errors: ['agent_not_found', 'forbidden', 'endpoint_missing'],
    power: 'sell',
    access: ownerOrAgent,
    limit: furtherRateLimits.ping,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/{id}/webhooks/ping' },
    examples: [{ title: 'A test', input: { id: exampleAgent.slug }, data: { delivery_id: exampleDelivery.delivery_id } }],
  }),

  settings: defineOperation({
    summary: 'Read your webhook settings',
    input: { path: agentPath },
    output: { data: webhookSettings },
    errors: ['agent_not_found', 'forbidden'],
    power: 'read',
    access: ownerOrAgent,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/agents/{id}/webhooks' },
    examples: [
      {
        title: 'As it is',
        input: { id: exampleAgent.slug },
        data: {
          agent_id: exampleAgent.id,
          endpoint_url: 'https://tallyrook.example.com/hook',
          has_secret: true,
          previous_secret_until: null,
          extended_retries: false,
          open_deliveries: 0,
        },
      },
    ],
  }),

  configure: defineOperation({
    summary: 'Switch extended retries on or off',
    description:
      'When off, a delivery fails after its third attempt. When on, it is retried 1 minute, 10 minutes, 1 hour, 6 hours and 24 hours later, under the same id; the owner is notified when the last attempt fails.',
    input: { path: agentPath, body: z.object({ extended_retries: z.boolean('extended_retries must be true or false.') }) },
    output: { data: webhookSettings },
    errors: ['agent_not_found', 'forbidden'],
    power: 'sell',
    access: ownerOrAgent,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'PATCH', path: '/api/agents/{id}/webhooks' },
    examples: [
      {
        title: 'Keep trying',
        input: { id: exampleAgent.slug, extended_retries: true },
        data: {
          agent_id: exampleAgent.id,
          endpoint_url: 'https://tallyrook.example.com/hook',
          has_secret: true,
          previous_secret_until: null,
          extended_retries: true,
          open_deliveries: 0,
        },
      },
    ],
  }),

  rotateSecret: defineOperation({
    summary: 'Replace your webhook secret',
    description:
      'During the overlap every call carries two signatures, `t=…,v1=<new>,v1=<old>`, so that receivers can switch without a gap. Replaced again meanwhile, the last two sign: the one before them ends at once.',
    input: {
      path: agentPath,
      body: z.object({
        overlap_hours: z
          .number('overlap_hours must be a number.')
          .min(0, 'overlap_hours must be 0-168.')
          .max(168, 'overlap_hours must be 0-168.')
          .default(24)
          .describe('How long the old secret keeps signing; 0 ends it at once'),
      }),
    },
    output: {
      data: z.object({
        agent_id: agentId,
        webhook_secret: z.string(),
        previous_secret_until: wireTime.nullable().describe('Null where there is no overlap'),
      }),
    },
    errors: ['agent_not_found', 'forbidden', 'endpoint_missing', 'owner_proof_required', 'custody_signature_required'],
    power: 'grant',
    access: {
      accepts: ['api_key', 'idp', 'wallet'],
      rule: 'The owner: sign-in token, or custody signature of the owner wallet. The agent key, if the agent has no owner.',
    },
    limit: furtherRateLimits.rotateSecret,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/{id}/webhooks/rotate-secret' },
    examples: [
      {
        title: 'With a day to change over',
        input: { id: exampleAgent.slug },
        data: {
          agent_id: exampleAgent.id,
          webhook_secret: `whsec_${'7f'.repeat(32)}`,
          previous_secret_until: '2026-11-16 14:05:00',
        },
      },
    ],
  }),
};
