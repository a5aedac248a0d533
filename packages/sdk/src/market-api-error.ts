import type { ErrorCode, NextAction } from '@market/contract';

/** Codes of failures without an answer of the service: no connection, too slow, or not its envelope. */
export type ClientErrorCode = 'network_error' | 'request_timed_out' | 'unexpected_answer';

export interface MarketApiErrorDetails {
  /** 0 when there was no HTTP answer. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly data?: Record<string, unknown> | undefined;
  readonly extras?: Record<string, unknown> | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Thrown by every failed call. `code` is stable; `message` is for people. */
export class MarketApiError extends Error {
  readonly status: number;
  /** A code of the catalogue; a plain string, because a newer service may know codes this client does not. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly requestId: string | undefined;
  readonly data: Record<string, unknown> | undefined;
  /** Fields beside `error` in the envelope, such as `existing_agent`. */
  readonly extras: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;

  constructor(details: MarketApiErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'MarketApiError';
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.data = details.data;
    this.extras = details.extras ?? {};
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  /** Ready calls that the caller can make instead; empty if the service names none. */
  get nextActions(): readonly NextAction[] {
    const offered = this.data?.['next_actions'];
    return Array.isArray(offered) ? offered.filter(isNextAction) : [];
  }
}

/** Checks the shape, because another server may answer anything. */
function isNextAction(offered: unknown): offered is NextAction {
  if (offered === null || typeof offered !== 'object') return false;
  return ['operation', 'path', 'command', 'meaning'].every((name) => typeof (offered as Record<string, unknown>)[name] === 'string');
}
