/** The headers of an answer, as references to shared components. */
import { permits } from '../authority/permits.ts';
import { headerOf, ignoresUnknownQuery, keepsAnswers, type OperationSpec } from '../define-operation.ts';
import type { OpenApiHeader, Reference } from './document.ts';
import type { SchemaBook } from './json-schema.ts';

type Headers = Record<string, Reference | OpenApiHeader>;

function headerReference(name: string): Reference {
  return { $ref: `#/components/headers/${name}` };
}

/** Headers on every answer of these operations, whatever its status. */
function commonHeaders(specs: readonly OperationSpec[]): Headers {
  return {
    'X-Request-Id': headerReference('RequestId'),
    ...(specs.some(ignoresUnknownQuery) && { 'X-Ignored-Parameters': headerReference('IgnoredParameters') }),
    ...(specs.some(({ limit, agentLimit }) => limit !== undefined || agentLimit !== undefined) && {
      'X-RateLimit-Limit': headerReference('RateLimitLimit'),
      'X-RateLimit-Remaining': headerReference('RateLimitRemaining'),
      'X-RateLimit-Reset': headerReference('RateLimitReset'),
    }),
    ...(specs.some(isPaidFor) && {
      'PAYMENT-RESPONSE': headerReference('PaymentResponse'),
      'X-PAYMENT-RESPONSE': headerReference('FirstVersionPaymentResponse'),
    }),
  };
}

export function successHeaders(specs: readonly OperationSpec[], book: SchemaBook): Headers {
  return {
    ...commonHeaders(specs),
    ...(specs.some(mayBeKept) && { ETag: headerReference('EntityTag') }),
    ...(specs.some(keepsAnswers) && { 'Idempotent-Replayed': headerReference('IdempotentReplayed') }),
    ...(specs.some(({ effects }) => effects.setsCookie === true) && { 'Set-Cookie': headerReference('SetCookie') }),
    ...Object.assign({}, ...specs.map((spec) => ownHeaders(spec, book))),
  };
}

function ownHeaders({ output }: OperationSpec, book: SchemaBook): Headers {
  if (output.headers === undefined) return {};
  const { properties = {}, required = [] } = book.schemaOf(output.headers, 'output');
  return Object.fromEntries(
    Object.entries(properties).map(([name, { description = '', ...schema }]) => [
      headerOf(name),
      { ...(description !== '' && { description }), required: required.includes(name), schema },
    ]),
  );
}

export function refusalHeaders(status: number, specs: readonly OperationSpec[]): Headers {
  const offersSignIn = specs.some((spec) => spec.access.accepts.includes('wallet') && permits('sign_in', spec));
  return {
    ...commonHeaders(specs),
    ...((status === 429 || status === 503 || (status === 402 && specs.some(isPaidFor))) && {
      'Retry-After': headerReference('RetryAfter'),
    }),
    ...(status === 401 && { 'WWW-Authenticate': headerReference('WwwAuthenticate') }),
    ...((status === 402 || (status === 401 && offersSignIn)) && { 'PAYMENT-REQUIRED': headerReference('PaymentRequired') }),
    ...(status === 402 &&
      specs.some(({ challenge }) => challenge === 'flat') && {
        'X-Payment-Scheme': headerReference('PaymentScheme'),
        'X-Payment-Network': headerReference('PaymentNetwork'),
        'X-Payment-Asset': headerReference('PaymentAsset'),
      }),
  };
}

/** Whether answers may be stored as finished answers, which carry an ETag: public reads. */
function mayBeKept({ access, effects, rest }: OperationSpec): boolean {
  return rest.method === 'GET' && effects.kind === 'read' && access.accepts.includes('anonymous');
}

function isPaidFor({ challenge, effects }: OperationSpec): boolean {
  return challenge !== undefined && effects.kind !== 'read';
}
