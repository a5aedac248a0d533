import type { NamedOperation } from '../operations.ts';
import type { Sharers } from './build-operation.ts';
import type { OpenApiExample, OpenApiResponse, Reference } from './document.ts';
import { exampleAnswer, exampleKey } from './examples.ts';
import type { JsonSchema, SchemaBook } from './json-schema.ts';
import { type ErrorReference, errorsOf } from './operation-errors.ts';

export function buildResponses(sharers: Sharers, book: SchemaBook): Record<string, OpenApiResponse> {
  const limited = sharers.some(({ spec }) => spec.limit !== undefined);
  const successes = Map.groupBy(sharers, ({ spec }) => spec.rest.status ?? 200);
  const errors = sharers.flatMap(({ spec }) => [...errorsOf(spec).own, ...errorsOf(spec).implied]);
  const failures = Map.groupBy(new Map(errors.map((error) => [error.code, error])).values(), ({ status }) => status);
  return Object.fromEntries([
    ...[...successes].map(([status, members]) => [String(status), successResponse(members, limited, book)]),
    ...[...failures].map(([status, members]) => [String(status), errorResponse(status, members, limited)]),
  ]);
}

function successResponse(members: readonly NamedOperation[], limited: boolean, book: SchemaBook): OpenApiResponse {
  const envelopes = members.map(({ spec }) => envelopeOf(spec.output, book));
  const [only, ...others] = envelopes;
  const examples = Object.fromEntries(
    members.flatMap(({ spec }) =>
      spec.examples.map((example): [string, OpenApiExample] => [
        exampleKey(example.title),
        { summary: example.title, value: exampleAnswer(spec, example) },
      ]),
    ),
  );
  const content = { schema: only !== undefined && others.length === 0 ? only : { anyOf: envelopes }, examples };
  return {
    description: members.map(({ spec }) => spec.summary).join('; '),
    headers: { ...requestIdHeader, ...(limited ? rateLimitHeaders : {}) },
    // An operation that streams shares its route with no other.
    content: members.some(({ spec }) => spec.output.stream === true) ? { 'text/event-stream': content } : { 'application/json': content },
  };
}

function envelopeOf(output: NamedOperation['spec']['output'], book: SchemaBook): JsonSchema {
  if (output.bare === true || output.stream === true) return book.schemaOf(output.data, 'output');
  const extras = output.extras === undefined ? {} : book.schemaOf(output.extras, 'output');
  return {
    type: 'object',
    properties: { success: { const: true }, data: book.schemaOf(output.data, 'output'), ...extras.properties },
    required: ['success', 'data', ...(extras.required ?? [])],
  };
}

function errorResponse(status: number, members: readonly ErrorReference[], limited: boolean): OpenApiResponse {
  const retryable = status === 429 || status === 503;
  return {
    description: members.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
    headers: {
      ...requestIdHeader,
      ...(retryable ? { 'Retry-After': headerReference('RetryAfter') } : {}),
      ...(limited ? rateLimitHeaders : {}),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/ErrorEnvelope' },
            { type: 'object', properties: { code: { enum: members.map(({ code }) => code) } } },
          ],
        },
      },
    },
  };
}

function headerReference(name: string): Reference {
  return { $ref: `#/components/headers/${name}` };
}

const requestIdHeader = { 'X-Request-Id': headerReference('RequestId') };

const rateLimitHeaders = {
  'X-RateLimit-Limit': headerReference('RateLimitLimit'),
  'X-RateLimit-Remaining': headerReference('RateLimitRemaining'),
  'X-RateLimit-Reset': headerReference('RateLimitReset'),
};
