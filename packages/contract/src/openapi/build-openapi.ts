/** The OpenAPI 3.1 document of the whole API, derived from the list of operations. */
import { groupBy } from '../kernel/group-by.ts';
import type { NamedOperation } from '../operations.ts';
import { buildOperation } from './build-operation.ts';
import type { OpenApiDocument, OpenApiOperation } from './document.ts';
import { SchemaBook } from './json-schema.ts';
import { operationsOf } from './operations-of.ts';
import { securitySchemes } from './security.ts';
import { documentIntroduction, sharedHeaders, sharedParameters, sharedSchemas } from './shared-components.ts';

export interface OpenApiOptions {
  readonly title: string;
  readonly baseUrl: string;
  readonly description?: string;
  /** `production` by default; it leaves out operations that exist in the sandbox only. */
  readonly profile?: 'sandbox' | 'production';
}

export function buildOpenApi(options: OpenApiOptions): OpenApiDocument {
  return buildDocument(options, operationsOf(options.profile));
}

/** Exported so that tests can pass operations that are not in the list. */
export function buildDocument(options: OpenApiOptions, list: readonly NamedOperation[]): OpenApiDocument {
  const book = new SchemaBook();
  const { document: paths, schemas } = book.finish(buildPaths(list, book));
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: '1.0.0',
      description: [options.description, documentIntroduction].filter((text) => text !== undefined).join('\n\n'),
    },
    servers: [{ url: options.baseUrl }],
    tags: [...new Set(list.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: { schemas: { ...sharedSchemas, ...schemas }, headers: sharedHeaders, parameters: sharedParameters, securitySchemes },
  };
}

function buildPaths(list: readonly NamedOperation[], book: SchemaBook): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const byBinding = groupBy(list, ({ spec }) => `${spec.rest.method} ${spec.rest.path}`);
  for (const sharers of byBinding.values()) {
    const [first, ...others] = sharers;
    if (first === undefined) continue;
    const { path, method } = first.spec.rest;
    paths[path] = { ...paths[path], [method.toLowerCase()]: buildOperation([first, ...others], book) };
  }
  return paths;
}
