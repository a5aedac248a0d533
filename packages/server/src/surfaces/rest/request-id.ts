/** The id of a request: the caller's own if it is usable, so that both sides find it in their logs. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return acceptable(headers['x-request-id']) ?? newRequestId();
}

export function newRequestId(): string {
  return `req_${randomUUID()}`;
}

function acceptable(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9._:-]{8,100}$/.test(value) ? value : undefined;
}
