/** Deliveries and settings as they go over the wire. */
import { type AgentId, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { AttemptRow, DeliveryRow } from './log-repository.ts';
import { headersOf } from './send-attempt.ts';
import type { WebhookAgent } from './webhooks-context.ts';

type WireDelivery = OperationAnswer<Operations['webhooks']['list']>['data'][number];
type WireSettings = OperationAnswer<Operations['webhooks']['settings']>['data'];

export function presentDelivery(row: DeliveryRow, attempts: readonly AttemptRow[]): WireDelivery {
  return {
    delivery_id: row.id,
    agent_id: row.agentId as AgentId,
    event: row.event,
    order_id: row.orderId,
    state: row.state,
    is_test: row.isTest,
    seq: Number(row.agentSeq),
    redeliveries: row.redeliveries,
    attempts: attempts.flatMap(({ url, signature, ...attempt }) =>
      // Without an address nothing was sent: the state says it.
      url === null
        ? []
        : {
            number: attempt.number,
            at: attempt.at.toISOString(),
            duration_ms: attempt.durationMs,
            status: attempt.status,
            error: attempt.error,
            url,
            headers: headersOf(row, signature),
            answer: attempt.answer,
          },
    ),
    next_attempt_at: row.nextAt === null ? null : toWireTime(row.nextAt),
    created_at: toWireTime(row.createdAt),
    finished_at: row.finishedAt === null ? null : toWireTime(row.finishedAt),
  };
}

export function presentSettings(agent: WebhookAgent, openDeliveries: number, now: Date): WireSettings {
  const until = agent.previousWebhookSecretUntil;
  return {
    agent_id: agent.id,
    endpoint_url: agent.endpointUrl,
    has_secret: agent.webhookSecretSealed !== null,
    previous_secret_until: until === null || until <= now ? null : toWireTime(until),
    extended_retries: agent.webhookExtendedRetries,
    open_deliveries: openDeliveries,
  };
}
