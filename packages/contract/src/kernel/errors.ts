/**
 * The error catalogue: every way an operation can refuse, with a code that never changes.
 *
 * `kind` decides the protocol status once (see `statusOfKind`); `message` is the default sentence for people,
 * which a thrower may replace by a more specific one. Codes are public promises: add, never rename.
 */
import type { z } from 'zod';

export const statusOfKind = {
  bad_request: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media: 415,
  range_not_satisfiable: 416,
  unprocessable: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
  gateway_timeout: 504,
  insufficient_storage: 507,
} as const;

export type ErrorKind = keyof typeof statusOfKind;

export interface ErrorDefinition {
  readonly kind: ErrorKind;
  readonly message: string;
  /** Fields beside `error` in the envelope, where the specification shows some. */
  readonly extras?: z.ZodObject;
}

export function defineErrors<const E extends Record<string, ErrorDefinition>>(errors: E): E {
  return errors;
}

export const kernelErrors = defineErrors({
  invalid_input: { kind: 'bad_request', message: 'The request does not match what this call accepts.' },
  invalid_json: { kind: 'bad_request', message: 'The body is not valid JSON.' },
  invalid_encoding: { kind: 'bad_request', message: 'The request holds text that is not valid UTF-8 or contains a NUL character.' },
  json_too_deep: { kind: 'bad_request', message: 'The JSON body is nested too deeply.' },
  invalid_cursor: { kind: 'bad_request', message: 'This cursor was not issued by this list. Start again without one.' },
  invalid_idempotency_key: {
    kind: 'bad_request',
    message: 'An Idempotency-Key is 1 to 255 visible ASCII characters.',
  },
  malformed_request: { kind: 'bad_request', message: 'This is not a well-formed HTTP request.' },
  unauthenticated: { kind: 'unauthenticated', message: 'This call needs credentials.' },
  invalid_api_key: {
    kind: 'unauthenticated',
    message:
      'This API key is unknown or was replaced, or its agent is inactive. Its owner reads the current key with POST /api/agents/recover.',
  },
  invalid_order_token: {
    kind: 'unauthenticated',
    message: 'This order token is unknown or has ended. Read the order with a signature of the wallet that paid.',
  },
  invalid_token: { kind: 'unauthenticated', message: 'The identity-provider token is invalid or expired. Sign in again.' },
  invalid_signature: { kind: 'unauthenticated', message: 'The wallet signature does not match the wallet and the signed text.' },
  signature_expired: { kind: 'unauthenticated', message: 'The wallet signature is too old. Sign again.' },
  signature_from_future: { kind: 'unauthenticated', message: 'wallet_sig_ts lies in the future. Check the clock and sign again.' },
  signature_already_used: {
    kind: 'unauthenticated',
    message: 'Another call has shown this wallet signature, or it was used already. Sign again.',
  },
  sign_in_message_required: {
    kind: 'unauthenticated',
    message:
      'This action needs a signed message that names it. Sign data.message, or the message of POST /api/auth/challenge, and send wallet, signed_message and wallet_sig in the body.',
  },
  custody_signature_required: {
    kind: 'unauthenticated',
    message: 'This action needs a wallet signature over the action itself.',
  },
  sign_in_required: {
    kind: 'payment_required',
    message:
      'Sign in with your wallet: sign the challenge in the header PAYMENT-REQUIRED and repeat the request with SIGN-IN-WITH-X. There is nothing to pay.',
  },
  wrong_credential: { kind: 'forbidden', message: 'These credentials are valid, but this call takes another kind.' },
  forbidden: { kind: 'forbidden', message: 'These credentials do not allow this.' },
  banned: { kind: 'forbidden', message: 'This account may not use the marketplace.' },
  cross_site_request: {
    kind: 'forbidden',
    message: 'A cookie cannot authorise a change requested by another site.',
  },
  not_found: { kind: 'not_found', message: 'There is nothing at this address.' },
  method_not_allowed: { kind: 'method_not_allowed', message: 'This address takes other methods. The header Allow names them.' },
  request_timeout: { kind: 'timeout', message: 'The request took too long to arrive.' },
  body_too_large: { kind: 'too_large', message: 'The body is larger than this call accepts.' },
  uri_too_long: { kind: 'uri_too_long', message: 'The address of the request is too long. Send long values in the body.' },
  unsupported_media_type: { kind: 'unsupported_media', message: 'Send the body as application/json.' },
  headers_too_large: { kind: 'headers_too_large', message: 'The request headers are too large.' },
  idempotency_in_flight: {
    kind: 'conflict',
    message: 'The first request with this Idempotency-Key is still being worked on. Try again shortly.',
  },
  idempotency_key_reused: {
    kind: 'unprocessable',
    message: 'This Idempotency-Key was used with a different request. Use a new key.',
  },
  too_many_requests: { kind: 'rate_limited', message: 'Too many requests. Try again when the window resets.' },
  internal: { kind: 'internal', message: 'Something went wrong on our side. Quote the request id when you report it.' },
  idp_not_configured: { kind: 'unavailable', message: 'Sign-in is not configured on this service.' },
  idp_unavailable: { kind: 'unavailable', message: 'The identity provider cannot be reached. Try again shortly.' },
  overloaded: { kind: 'unavailable', message: 'The service has more to do than it can carry. Try again after Retry-After seconds.' },
  storage_full: { kind: 'insufficient_storage', message: 'There is no space left to store this. Try again later.' },
  unavailable: { kind: 'unavailable', message: 'This part of the service is not available right now. Try again shortly.' },
});

/** Data of a `MarketError` besides its code. `extras` stand beside `error` in the envelope, as specified for some errors. */
export interface MarketErrorDetails {
  readonly message?: string;
  readonly data?: Record<string, unknown>;
  readonly extras?: Record<string, unknown>;
  readonly retryAfterSeconds?: number;
  /** The whole body instead of the envelope, if a protocol fixes the shape. */
  readonly body?: Record<string, unknown>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}
