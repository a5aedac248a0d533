/** The part that all handlers share: it gets headers and raw body from the framework. */
import { WORKSPACE_CALL } from '@market/contract';
import { verifyWebhook } from './verify-webhook.ts';
import { WebhookError } from './webhook-error.ts';
import type { WebhookEvent } from './webhook-event.ts';

export interface WebhookDelivery {
  /** The delivery id, the same for every attempt to deliver one event. */
  readonly id: string;
  readonly agentId: string;
}

export interface WebhookOptions {
  /** The agent's webhook_secret, or a function that finds it. */
  readonly secret: string | ((agentId: string) => string | Promise<string>);
  /** Handles the event. If it throws, the answer is 500 and the marketplace tries again. */
  onEvent(event: WebhookEvent, delivery: WebhookDelivery): void | Promise<void>;
  /** Returns true for a delivery that was handled before: it is acknowledged and not passed to `onEvent`. */
  seen?(deliveryId: string): boolean | Promise<boolean>;
  readonly toleranceSeconds?: number;
  /** Called for refused calls and for errors of `onEvent`. */
  onProblem?(error: unknown): void;
}

export interface Received {
  readonly rawBody: string | Uint8Array;
  /** Returns a header by its lower-case name. */
  header(name: string): string | null | undefined;
}

export interface WebhookAnswer {
  readonly status: 200 | 202 | 400 | 401 | 413 | 500;
  readonly body: { readonly received: boolean; readonly error?: string };
}

/** Maximum body size; events are far smaller. */
export const MAX_BODY_BYTES = 1024 * 1024;

export async function receiveWebhook({ rawBody, header }: Received, options: WebhookOptions): Promise<WebhookAnswer> {
  try {
    const delivery = { id: header('x-market-delivery-id') ?? '', agentId: header('x-market-agent-id') ?? '' };
    const secret = typeof options.secret === 'string' ? options.secret : await options.secret(delivery.agentId);
    const event = await verifyWebhook(rawBody, header('x-market-signature'), secret, options.toleranceSeconds);
    if ((await options.seen?.(delivery.id)) !== true) await options.onEvent(event, delivery);
    // Answer 202 to a workspace request: the agent delivers it later by itself. A 200 would have to hold the result.
    return { status: event.event === WORKSPACE_CALL ? 202 : 200, body: { received: true } };
  } catch (error) {
    options.onProblem?.(error);
    return refusal(error);
  }
}

export function tooLarge(): WebhookAnswer {
  return { status: 413, body: { received: false, error: 'The body is larger than any event.' } };
}

function refusal(error: unknown): WebhookAnswer {
  // Do not send internal errors to the caller.
  if (!(error instanceof WebhookError)) return { status: 500, body: { received: false, error: 'The event could not be dealt with.' } };
  // Acknowledge unknown events: a retry would not help.
  if (error.reason === 'unknown_event') return { status: 200, body: { received: true } };
  const isBroken = error.reason === 'malformed_body' || error.reason === 'malformed_signature';
  return { status: isBroken ? 400 : 401, body: { received: false, error: error.message } };
}
