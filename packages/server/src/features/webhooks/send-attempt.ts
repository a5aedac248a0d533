/** One attempt: signs the stored body, sends it to the agent's current endpoint, and returns the outcome. */
import type { Clock } from '../../platform/clock/clock.ts';
import type { OutboundAnswer, OutboundClient, OutboundFailure } from '../../platform/outbound/outbound-client.ts';
import { type SigningKey, signWebhook } from './sign-webhook.ts';

/** A delivery succeeds on a 2xx within this long. */
const TIMEOUT_MS = 5_000;
/** We read this much, so that the connection can serve the next call, and store less. */
const MAX_ANSWER_BYTES = 64 * 1024;
const KEPT_ANSWER_BYTES = 1024;

/** Endpoint and secrets of an agent. */
export interface Target {
  readonly endpointUrl: string | null;
  readonly secret: SigningKey | null;
  readonly previousSecret: { readonly secret: SigningKey; readonly until: Date } | null;
}

export interface Sendable {
  readonly id: string;
  readonly agentId: string;
  readonly event: string;
  readonly body: string;
}

/** An attempt as the log stores it. */
export interface AttemptEntry {
  /** Real time. */
  readonly atMs: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly url: string | null;
  readonly signature: string | null;
  readonly answer: string | null;
}

export interface Attempted {
  readonly ok: boolean;
  /** False when the attempt failed on our side: it does not count. */
  readonly counts: boolean;
  readonly entry: AttemptEntry;
}

export async function sendAttempt(
  { outbound, clock }: { readonly outbound: OutboundClient; readonly clock: Clock },
  target: Target,
  endpointUrl: string,
  delivery: Sendable,
): Promise<Attempted> {
  const atMs = clock.realNow().getTime();
  const secrets = secretsOf(target, clock);
  const signature = secrets.length === 0 ? null : signWebhook(secrets, Math.floor(atMs / 1000), delivery.body);
  const answer = await outbound.post(endpointUrl, {
    headers: headersOf(delivery, signature),
    body: delivery.body,
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_ANSWER_BYTES,
    overflow: 'cut',
    keepAlive: true,
  });
  const ok = answer.ok && answer.status >= 200 && answer.status < 300;
  return {
    ok,
    counts: answer.ok || (answer.kind !== 'aborted' && answer.kind !== 'busy'),
    entry: {
      atMs,
      durationMs: answer.durationMs,
      status: answer.status ?? null,
      error: ok ? null : explain(answer),
      url: endpointUrl,
      signature,
      answer: answer.ok ? excerpt(answer.body) : null,
    },
  };
}

/** The five headers; the signature only where the agent has a secret. */
export function headersOf({ id, agentId, event }: Omit<Sendable, 'body'>, signature: string | null): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'X-Market-Event': event,
    'X-Market-Agent-Id': agentId,
    'X-Market-Delivery-Id': id,
  };
  if (signature !== null) headers['X-Market-Signature'] = signature;
  return headers;
}

function secretsOf({ secret, previousSecret }: Target, clock: Clock): SigningKey[] {
  if (secret === null) return [];
  return previousSecret !== null && previousSecret.until > clock.now() ? [secret, previousSecret.secret] : [secret];
}

function explain(answer: OutboundAnswer | OutboundFailure): string {
  return answer.ok ? `The endpoint answered with status ${answer.status}.` : answer.message;
}

/** Bytes that are no text become replacement characters; PostgreSQL takes everything but NUL. */
function excerpt(body: Buffer): string {
  return body.length === 0 ? '' : body.toString('utf8', 0, KEPT_ANSWER_BYTES).replaceAll('\0', '\ufffd');
}
