import type { OperationSpec } from '../define-operation.ts';
import { type ErrorCode, errorCatalogue } from '../errors.ts';
import type { ErrorDefinition } from '../kernel/errors.ts';
import { groupBy } from '../kernel/group-by.ts';
import type { NamedOperation } from '../operations.ts';
import { firstVersionChallenge, flatChallenge, listChallenge } from '../x402/challenge-schema.ts';
import type { OpenApiExample, OpenApiResponse } from './document.ts';
import { exampleAnswer, exampleKey } from './examples.ts';
import type { JsonSchema, SchemaBook } from './json-schema.ts';
import { type ErrorReference, errorsOf } from './operation-errors.ts';
import type { Sharers } from './request-body.ts';
import { refusalHeaders, successHeaders } from './response-headers.ts';

export function buildResponses(sharers: Sharers, book: SchemaBook): Record<string, OpenApiResponse> {
  const specs = sharers.map(({ spec }) => spec);
  const successes = groupBy(sharers, ({ spec }) => spec.rest.status ?? 200);
  const errors = specs.flatMap((spec) => [...errorsOf(spec).own, ...errorsOf(spec).implied]);
  const failures = groupBy(new Map(errors.map((error) => [error.code, error])).values(), ({ status }) => status);
  return Object.fromEntries([
    ...[...successes].map(([status, members]) => [String(status), successResponse(members, book)]),
    ...[...failures].map(([status, members]) => [String(status), refusal(status, members, specs, book)]),
  ]);
}

function successResponse(members: readonly NamedOperation[], book: SchemaBook): OpenApiResponse {
  const specs = members.map(({ spec }) => spec);
  const envelopes = specs.map(({ output }) => envelopeOf(output, book));
  const [only, ...others] = envelopes;
  const examples = Object.fromEntries(
    specs.flatMap((spec) =>
      spec.examples.map((example): [string, OpenApiExample] => [
        exampleKey(example.title),
        { summary: example.title, value: exampleAnswer(spec, example) },
      ]),
    ),
  );
  const content = { schema: only !== undefined && others.length === 0 ? only : { anyOf: envelopes }, examples };
  return {
    description: specs.map(({ summary }) => summary).join('; '),
    headers: successHeaders(specs, book),
    // A streaming operation never shares its method and path.
    content: specs.some(({ output }) => output.stream === true)
      ? { 'text/event-stream': content }
      : { [typeOf(specs)]: content, ...(specs.some(({ rest }) => rest.csvOf !== undefined) && csvContent) },
  };
}

/** The media type. An operation with its own media type never shares its method and path either. */
function typeOf([first]: readonly OperationSpec[]): 'application/json' {
  return (first?.output.mediaType ?? 'application/json') as 'application/json';
}

/** The answer to `Accept: text/csv`. */
const csvContent = {
  'text/csv': { schema: { type: 'string', description: 'The list as a file: a line of names, then one line per row' } },
};

function envelopeOf(output: NamedOperation['spec']['output'], book: SchemaBook): JsonSchema {
  if (output.bare === true || output.stream === true) return book.schemaOf(output.data, 'output');
  const extras = output.extras === undefined ? {} : book.schemaOf(output.extras, 'output');
  return {
    type: 'object',
    properties: { success: { const: true }, data: book.schemaOf(output.data, 'output'), ...extras.properties },
    required: ['success', 'data', ...(extras.required ?? [])],
  };
}

function refusal(status: number, members: readonly ErrorReference[], specs: readonly OperationSpec[], book: SchemaBook): OpenApiResponse {
  const enveloped = members.filter(({ code }) => !withoutEnvelope.has(code));
  const bodies = [
    ...(status === 402 ? challengesOf(specs, book) : []),
    ...(enveloped.length === 0 ? [] : [refusalEnvelope(enveloped, book)]),
  ];
  const [only, ...others] = bodies;
  return {
    description: members.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
    headers: refusalHeaders(status, specs),
    content: { 'application/json': { schema: only !== undefined && others.length === 0 ? only : { anyOf: bodies } } },
  };
}

/** Codes whose answer is the challenge instead of the envelope. */
const withoutEnvelope: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['payment_required', 'payment_rejected']);

function challengesOf(specs: readonly OperationSpec[], book: SchemaBook): JsonSchema[] {
  const forms = new Set(specs.flatMap(({ challenge }) => challenge ?? []));
  if (forms.size === 0) return [];
  const schemas = [...[...forms].map((form) => (form === 'flat' ? flatChallenge : listChallenge)), firstVersionChallenge];
  return schemas.map((schema) => book.schemaOf(schema, 'output'));
}

function refusalEnvelope(members: readonly ErrorReference[], book: SchemaBook): JsonSchema {
  const extras = members.map(({ code }) => (errorCatalogue[code] as ErrorDefinition).extras).filter((schema) => schema !== undefined);
  const beside = Object.assign({}, ...extras.map((schema) => book.schemaOf(schema, 'output').properties)) as Record<string, JsonSchema>;
  return {
    allOf: [
      { $ref: '#/components/schemas/ErrorEnvelope' },
      { type: 'object', properties: { code: { enum: members.map(({ code }) => code) }, ...beside } },
    ],
  };
}
