/** The body of a webhook call, with the data of its event. */
import { PING_EVENT, WORKSPACE_CALL, webhookEvents, workspaceCall } from '@market/contract';
import { WebhookError } from './webhook-error.ts';

/** Schemas of webhook events and of workspace requests, which come the same way. */
const schemas = { ...webhookEvents, [WORKSPACE_CALL]: workspaceCall } as const;

type Schemas = typeof schemas;

/** A union by `event`, which determines the type of `data`. */
export type WebhookEvent =
  | {
      [T in keyof Schemas]: { readonly event: T; readonly order_id: string; readonly data: Schemas[T]['_zod']['output'] };
    }[keyof Schemas]
  | { readonly event: typeof PING_EVENT; readonly order_id: string; readonly data: Readonly<Record<string, unknown>> };

export function parseWebhookEvent(rawBody: string): WebhookEvent {
  const { event, order_id: orderId, data } = parseObject(rawBody);
  if (typeof event !== 'string' || !isRecord(data)) throw new WebhookError('malformed_body');
  const order_id = typeof orderId === 'string' ? orderId : '';
  if (event === PING_EVENT) return { event, order_id, data };
  if (!isKnown(event)) throw new WebhookError('unknown_event');
  const checked = schemas[event].safeParse(data);
  if (!checked.success) throw new WebhookError('malformed_body', checked.error);
  // Return the raw data, because a newer service may send more fields than this version knows.
  return { event, order_id, data } as unknown as WebhookEvent;
}

function isKnown(event: string): event is keyof Schemas {
  return Object.hasOwn(schemas, event);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new WebhookError('malformed_body', error);
  }
  throw new WebhookError('malformed_body');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
