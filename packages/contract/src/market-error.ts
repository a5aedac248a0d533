import { type ErrorCode, errorCatalogue } from './errors.ts';
import { type ErrorKind, type MarketErrorDetails, statusOfKind } from './kernel/errors.ts';

/** The error class of the marketplace: commands throw it, surfaces answer with it, the SDK throws it again. */
export class MarketError extends Error {
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly status: number;
  readonly data: Record<string, unknown> | undefined;
  readonly extras: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly body: Record<string, unknown> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, details: MarketErrorDetails = {}) {
    const definition = errorCatalogue[code];
    super(details.message ?? definition.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'MarketError';
    this.code = code;
    this.kind = definition.kind;
    this.status = statusOfKind[definition.kind];
    this.data = details.data;
    this.extras = details.extras;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.body = details.body;
    this.headers = details.headers ?? {};
  }
}
