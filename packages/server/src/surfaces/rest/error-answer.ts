/** Turns any thrown value into the failure envelope. Only this file sets the HTTP status and public message of an error. */
import { MarketError } from '@market/contract';
import type { FastifyError } from 'fastify';
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import { isClosedAgent } from '../../platform/db/database.ts';
import { SecretUnreadableError } from '../../platform/secrets/secret-box.ts';
import { isDiskFullError } from '../../platform/storage/disk-probe.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export interface ErrorAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** True for our own errors, which are logged for the operator. */
  readonly isFault: boolean;
}

export function marketErrorOf(thrown: unknown): MarketError {
  return thrown instanceof MarketError ? thrown : translate(thrown);
}

export function errorAnswer(thrown: unknown, requestId: string): ErrorAnswer {
  const error = marketErrorOf(thrown);
  return {
    status: error.status,
    body: error.body ?? {
      success: false,
      error: error.message,
      code: error.code,
      request_id: requestId,
      ...(error.data && { data: error.data }),
      ...error.extras,
    },
    retryAfterSeconds: error.retryAfterSeconds,
    headers: { ...(error.kind === 'unauthenticated' && { 'WWW-Authenticate': bearerChallenge(error) }), ...error.headers },
    isFault: FAULTS.has(error.kind) && (error.kind === 'internal' || !(thrown instanceof MarketError)),
  };
}

const FAULTS = new Set<string>(['internal', 'unavailable', 'insufficient_storage']);

/** RFC 6750: the expected credential, and what was wrong with the given one. */
function bearerChallenge({ code, message }: MarketError): string {
  if (code === 'unauthenticated') return 'Bearer realm="market"';
  return `Bearer realm="market", error="invalid_token", error_description="${message.replace(/[^\x20-\x7e]|["\\]/g, "'")}"`;
}

function translate(thrown: unknown): MarketError {
  const { code = '', statusCode = 500, message = '' } = thrown as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new MarketError('body_too_large');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new MarketError('unsupported_media_type');
  if (code.startsWith('FST_') && statusCode < 500) return new MarketError('malformed_request', { cause: thrown });
  if (isClosedAgent(thrown)) return new MarketError('agent_closed', { cause: thrown });
  if (isDiskFullError(thrown)) return new MarketError('storage_full', { cause: thrown, retryAfterSeconds: 30 });
  if (thrown instanceof ChainUnavailable) return new MarketError('chain_unavailable', { cause: thrown, retryAfterSeconds: 5 });
  // A stored secret that does not open was altered, moved or sealed under a missing key. The service does not use it until an operator
  // looks.
  if (thrown instanceof SecretUnreadableError) return new MarketError('unavailable', { cause: thrown, retryAfterSeconds: 60 });
  if (isOutage(code, message)) return new MarketError('unavailable', { cause: thrown, retryAfterSeconds: 2 });
  return new MarketError('internal', { cause: thrown });
}

/**
 * True if the database is unavailable, full, overloaded or stopping: a retry helps then, unlike with a bug. Some of these errors of the
 * driver have no code, only a message.
 */
function isOutage(code: string, message: string): boolean {
  if (/^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/.test(message))
    return true;
  return /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|57P0[123]|57014|40001|40P01|55P03|25006|53[0-9A-Z]{3}|08[0-9A-Z]{3}|25P03)$/.test(
    code,
  );
}
