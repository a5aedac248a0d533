/** Checks a received call as a receiver does: by headers and raw body alone. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Received } from '../harness/receiver.ts';

/** Throws unless the call was just signed with exactly these secrets, in this order, over its raw body. */
export function requireSigned({ headers, text }: Received, ...secrets: readonly string[]): void {
  const [time = '', ...signatures] = String(headers['x-market-signature']).split(',');
  const seconds = Number(/^t=(\d+)$/.exec(time)?.[1]);
  assert.ok(Math.abs(seconds - Date.now() / 1000) < 60, `dated ${time}`);
  assert.deepEqual(
    signatures,
    secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex')}`),
  );
}
