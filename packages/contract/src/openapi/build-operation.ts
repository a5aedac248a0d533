/** Builds one OpenAPI operation from all operations that share a method and path. */
import { headerOf, keepsAnswers, mayPay } from '../define-operation.ts';
import type { RateLimit } from '../kernel/rate-limits.ts';
import type { NamedOperation } from '../operations.ts';
import { describeAccess } from './credentials.ts';
import { describeLimit } from './describe-operation.ts';
import type { OpenApiOperation, OpenApiParameter, Reference } from './document.ts';
import type { SchemaBook } from './json-schema.ts';
import { errorsOf } from './operation-errors.ts';
import { buildRequestBody, type Sharers } from './request-body.ts';
import { buildResponses } from './responses.ts';
import { securityOf } from './security.ts';

export function buildOperation(sharers: Sharers, book: SchemaBook): OpenApiOperation {
  const [first] = sharers;
  const parameters = buildParameters(sharers, book);
  const requestBody = buildRequestBody(sharers, book);
  const limit = strictestLimit(sharers);
  const mcpTools = sharers.map(({ spec }) => spec.mcp?.tool).filter((tool) => tool !== undefined);
  return {
    ...identityOf(sharers),
    tags: [first.group],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: buildResponses(sharers, book),
    security: uniqueBy(
      sharers.flatMap(({ spec }) => securityOf(spec)),
      (requirement) => JSON.stringify(requirement),
    ),
    ...(limit === undefined
      ? {}
      : { 'x-rate-limit': { requests: limit.requests, window_seconds: limit.windowSeconds, per: 'client address' } }),
    ...(mcpTools.length === 0 ? {} : { 'x-mcp-tool': mcpTools.join(' ') }),
  };
}

function identityOf(sharers: Sharers): Pick<OpenApiOperation, 'operationId' | 'summary' | 'description' | 'x-operations'> {
  const [first, ...others] = sharers;
  if (others.length === 0) return { operationId: first.name, summary: first.spec.summary, description: describe(first) };
  const field = first.spec.rest.selector?.field ?? 'body';
  return {
    operationId: `${first.group}.by${field.charAt(0).toUpperCase()}${field.slice(1)}`,
    summary: sharers.map(({ spec }) => spec.summary).join('; '),
    description: sharers
      .map((sharer) => `**\`${field}: ${selectorValue(sharer)}\`** ${sharer.spec.summary}. ${describe(sharer)}`)
      .join('\n\n'),
    'x-operations': Object.fromEntries(sharers.map((sharer) => [selectorValue(sharer), sharer.name])),
  };
}

function selectorValue({ name, spec }: NamedOperation): string {
  return spec.rest.selector?.value ?? name;
}

function describe({ spec }: NamedOperation): string {
  const limit = spec.limit === undefined ? undefined : `Limit: ${describeLimit(spec.limit)} and client address.`;
  return [spec.description, `Access: ${describeAccess(spec)}`, limit].filter((text) => text !== undefined).join('\n\n');
}

function buildParameters(sharers: Sharers, book: SchemaBook): (OpenApiParameter | Reference)[] {
  const declared = sharers.flatMap(({ spec }) =>
    (['path', 'query', 'headers'] as const).flatMap((part) => {
      const schema = spec.input?.[part];
      if (schema === undefined) return [];
      const object = book.schemaOf(schema, 'input');
      return Object.entries(object.properties ?? {}).map(([name, { description, ...property }]): OpenApiParameter => {
        const isMovable = spec.rest.eitherPlace?.includes(name) ?? false;
        const required = part === 'path' || (!isMovable && (object.required?.includes(name) ?? false));
        const place = part === 'headers' ? ({ name: headerOf(name), in: 'header' } as const) : { name, in: part };
        return { ...place, required, ...(description === undefined ? {} : { description }), schema: property };
      });
    }),
  );
  const writes = sharers.some(({ spec }) => keepsAnswers(spec));
  const asksToSignIn = sharers.some(({ spec }) => errorsOf(spec).implied.some(({ code }) => code === 'sign_in_required'));
  return [
    ...uniqueBy(
      [
        ...declared,
        ...sharers.flatMap((sharer) => movedToQuery(sharer, book)),
        ...sharers.flatMap((sharer) => synonymsOf(sharer, declared)),
      ],
      (parameter) => `${parameter.in} ${parameter.name}`,
    ),
    ...(writes ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(sharers.some(({ spec }) => mayPay(spec)) ? [{ $ref: '#/components/parameters/BudgetSession' }] : []),
    ...(asksToSignIn ? [{ $ref: '#/components/parameters/SignInChallenge' }] : []),
  ];
}

/** Parameters for the synonyms of query fields. */
function synonymsOf({ spec }: NamedOperation, declared: readonly OpenApiParameter[]): OpenApiParameter[] {
  return Object.entries(spec.rest.synonyms ?? {}).flatMap(([name, field]) => {
    const parameter = declared.find((one) => one.in === 'query' && one.name === field);
    return parameter === undefined ? [] : [{ ...parameter, name, required: false, description: `The same as \`${field}\`` }];
  });
}

/** Parameters for body fields that may stand in the query instead. */
function movedToQuery({ spec }: NamedOperation, book: SchemaBook): OpenApiParameter[] {
  const { eitherPlace = [] } = spec.rest;
  if (eitherPlace.length === 0 || spec.input?.body === undefined) return [];
  const { properties = {} } = book.schemaOf(spec.input.body, 'input');
  return Object.entries(properties)
    .filter(([name]) => eitherPlace.includes(name))
    .map(([name, { description = '', ...schema }]) => ({
      name,
      in: 'query',
      required: false,
      description: `${description} (here or in the body)`.trimStart(),
      schema,
    }));
}

function strictestLimit(sharers: Sharers): RateLimit | undefined {
  const limits = sharers.map(({ spec }) => spec.limit).filter((limit) => limit !== undefined);
  return limits.sort((a, b) => a.requests / a.windowSeconds - b.requests / b.windowSeconds)[0];
}

function uniqueBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}
