import type { NamedOperation } from '../operations.ts';
import { describeFileSize } from './describe-fields.ts';
import type { OpenApiExample, OpenApiOperation } from './document.ts';
import { exampleKey, splitInput } from './examples.ts';
import type { JsonSchema, SchemaBook } from './json-schema.ts';
import { mayHaveBody } from './operation-errors.ts';

const DEFAULT_MAX_BODY_BYTES = 256 * 1024;

export type Sharers = readonly [NamedOperation, ...NamedOperation[]];

export function buildRequestBody(sharers: Sharers, book: SchemaBook): OpenApiOperation['requestBody'] {
  const [first, ...others] = sharers;
  if (!mayHaveBody(first.spec.rest.method)) return undefined;
  if (first.spec.rest.multipart !== undefined) return formBody(first, first.spec.rest.multipart, book);
  const bodies = sharers.map((sharer) => bodyOf(sharer, book)).filter((body) => body !== undefined);
  const [only] = bodies;
  const credentials: JsonSchema = { $ref: '#/components/schemas/CredentialFields' };
  const maxBytes = Math.max(...sharers.map(({ spec }) => spec.rest.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES));
  const description = `At most ${maxBytes / 1024} KiB. The fields of CredentialFields may accompany it; other fields are refused.`;
  if (only === undefined) {
    return {
      required: false,
      description: 'Only credentials, if they are not in headers.',
      content: { 'application/json': { schema: credentials } },
    };
  }
  const schema = others.length === 0 ? only : { oneOf: bodies, ...discriminatorOf(first) };
  const examples = Object.assign({}, ...sharers.map(examplesOf)) as Record<string, OpenApiExample>;
  return {
    required: bodies.some((body) => (body.required?.length ?? 0) > 0),
    description,
    content: {
      'application/json': { schema: { allOf: [schema, credentials] }, ...(Object.keys(examples).length === 0 ? {} : { examples }) },
    },
  };
}

function formBody(
  operation: NamedOperation,
  { field, maxBytes }: NonNullable<NamedOperation['spec']['rest']['multipart']>,
  book: SchemaBook,
): OpenApiOperation['requestBody'] {
  const declared = bodyOf(operation, book);
  const file: JsonSchema = {
    type: 'object',
    properties: { ...declared?.properties, [field]: { type: 'string', format: 'binary', description: describeFileSize(maxBytes) } },
    required: [...(declared?.required ?? []), field],
  };
  return {
    required: true,
    description: `One file, as the last part. The fields of CredentialFields may stand before it; other fields are refused.`,
    content: { 'multipart/form-data': { schema: { allOf: [file, { $ref: '#/components/schemas/CredentialFields' }] } } },
  };
}

/** The declared body. If operations share method and path, it includes the selector field with its value. */
function bodyOf({ spec }: NamedOperation, book: SchemaBook): JsonSchema | undefined {
  const { selector } = spec.rest;
  const declared = spec.input?.body === undefined ? undefined : book.schemaOf(spec.input.body, 'input');
  if (selector === undefined)
    return declared === undefined ? undefined : { ...declared, properties: { ...declared.properties, ...movedToBody(spec, book) } };
  return {
    ...(declared ?? { type: 'object' }),
    properties: { ...declared?.properties, [selector.field]: { type: 'string', const: selector.value } },
    required: [...new Set([selector.field, ...(declared?.required ?? [])])],
  };
}

/** Body fields for query fields that may stand in the body instead. */
function movedToBody({ input, rest }: NamedOperation['spec'], book: SchemaBook): Record<string, JsonSchema> {
  const { eitherPlace = [] } = rest;
  if (eitherPlace.length === 0 || input?.query === undefined) return {};
  const { properties = {} } = book.schemaOf(input.query, 'input');
  return Object.fromEntries(Object.entries(properties).filter(([name]) => eitherPlace.includes(name)));
}

function discriminatorOf({ spec }: NamedOperation): Pick<JsonSchema, 'discriminator'> {
  return spec.rest.selector === undefined ? {} : { discriminator: { propertyName: spec.rest.selector.field } };
}

function examplesOf({ spec }: NamedOperation): Record<string, OpenApiExample> {
  const bodies = spec.examples.map(({ title, input }) => ({ title, body: splitInput(spec, input ?? {}).body }));
  const sent = bodies.filter(({ body }) => Object.keys(body).length > 0);
  return Object.fromEntries(sent.map(({ title, body }) => [exampleKey(title), { summary: title, value: body }]));
}
