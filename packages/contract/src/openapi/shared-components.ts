/** Components that all operations of the document share. */
import { networkName } from '../kernel/networks.ts';
import { walletChain } from '../kernel/wallets.ts';
import type { OpenApiHeader, OpenApiParameter } from './document.ts';
import type { JsonSchema } from './json-schema.ts';

export const sharedSchemas = {
  ErrorEnvelope: {
    type: 'object',
    description: 'Answer of a refused call. Some codes add fields beside `error`.',
    properties: {
      success: { const: false },
      error: { type: 'string', description: 'A sentence for people; it may change' },
      code: { type: 'string', description: 'Stable name of the reason' },
      request_id: { type: 'string', description: 'Quote it when you report a problem' },
      data: { type: 'object', description: 'Details a program can use, where the code has any', additionalProperties: true },
    },
    required: ['success', 'error', 'code', 'request_id'],
  },
  CredentialFields: {
    type: 'object',
    description: 'Any JSON body may carry credentials instead of headers. The operation does not receive these fields.',
    properties: {
      wallet: { type: 'string', description: 'Address of the signing wallet' },
      wallet_sig: { type: 'string', description: 'Signature: base58 for Solana, hex for Base' },
      wallet_sig_ts: { type: 'integer', description: 'Time of signing, Unix milliseconds' },
      wallet_chain: { type: 'string', enum: walletChain.options, description: 'Left out, the shape of the address decides' },
      signed_message: {
        type: 'string',
        description: 'The message of POST /api/auth/challenge, as the wallet signed it; then without wallet_sig_ts',
      },
      idp_access_token: { type: 'string', description: 'Access token of the identity provider' },
    },
  },
} as const satisfies Record<string, JsonSchema>;

export const sharedHeaders = {
  RequestId: { description: 'Names this request in our logs.', required: true, schema: { type: 'string' } },
  EntityTag: {
    description: 'Names these very bytes. Sent back as If-None-Match, an unchanged answer is 304 without a body.',
    schema: { type: 'string' },
  },
  RateLimitLimit: { description: 'Requests allowed per window.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Requests left in this window.', schema: { type: 'integer' } },
  RateLimitReset: { description: 'When the window ends, Unix seconds.', schema: { type: 'integer' } },
  RetryAfter: { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } },
  IgnoredParameters: { description: 'Query parameters this call does not know.', schema: { type: 'string' } },
  IdempotentReplayed: { description: 'The stored answer to the first request with this Idempotency-Key.', schema: { const: 'true' } },
  SetCookie: { description: 'The session, or its end.', schema: { type: 'string' } },
  WwwAuthenticate: {
    description: 'What was wrong with the credential, in the form of RFC 6750.',
    required: true,
    schema: { type: 'string', pattern: '^Bearer realm="market"' },
  },
  PaymentRequired: {
    description: 'The challenge of x402 version 2 in base64: what to pay, or the message to sign in with. Absent with `x402Version=1`.',
    schema: { type: 'string', format: 'base64' },
  },
  PaymentResponse: { description: 'The receipt of a payment of x402 version 2, in base64.', schema: { type: 'string', format: 'base64' } },
  FirstVersionPaymentResponse: {
    description: 'The receipt of a payment of x402 version 1, in base64.',
    schema: { type: 'string', format: 'base64' },
  },
  PaymentScheme: { description: 'Scheme of the flat requirement in the body.', schema: { const: 'exact' } },
  PaymentNetwork: { description: 'Network of the flat requirement in the body.', schema: { type: 'string', enum: networkName.options } },
  PaymentAsset: { description: 'What the flat requirement is paid in.', schema: { const: 'USDC' } },
} as const satisfies Record<string, OpenApiHeader>;

export const sharedParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the call safe to repeat for 24 hours: the same key and request get the first answer again, the same key with another request is refused with 422.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  BudgetSession: {
    name: 'X-Budget-Session',
    in: 'header',
    required: false,
    description: 'A budget session of the calling key. The payment must fit what is left in it, and every spend policy.',
    schema: { type: 'string', minLength: 1, maxLength: 80 },
  },
  SignInChallenge: {
    name: 'auth',
    in: 'query',
    required: false,
    description: '`siwx`: without credentials the answer is 402 with a message to sign, instead of 401. x402 clients act on 402 only.',
    schema: { type: 'string', enum: ['siwx'] },
  },
} as const satisfies Record<string, OpenApiParameter>;

export const documentIntroduction = [
  'Every answer is JSON in one envelope: `{ "success": true, "data": … }`, some with named fields beside `data`, or `{ "success": false, "error", "code", "request_id" }`. `code` is stable; `error` is a sentence for people.',
  'Lists take `limit` with `offset`, or `limit` with the `next_cursor` of the page before as `cursor`.',
  'Credentials travel in headers or cookies as the security schemes say. The fields of `CredentialFields` may instead accompany any JSON body, and the wallet fields any query string.',
].join('\n\n');
