/** Types of an OpenAPI 3.1 document, as far as we write it. */
import type { JsonSchema } from './json-schema.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, OpenApiHeader>>;
    readonly parameters: Readonly<Record<string, OpenApiParameter>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly (OpenApiParameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly description: string; readonly content: Partial<JsonContent & FormContent> };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly security: readonly object[];
  readonly 'x-rate-limit'?: { readonly requests: number; readonly window_seconds: number; readonly per: string };
  readonly 'x-mcp-tool'?: string;
  /** The operations behind a shared method and path, by selector value. */
  readonly 'x-operations'?: Readonly<Record<string, string>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference | OpenApiHeader>>;
  readonly content: (JsonContent & Partial<CsvContent>) | StreamContent;
}

export interface OpenApiHeader {
  readonly description?: string;
  /** Whether every answer with this status has the header. */
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface CsvContent {
  readonly 'text/csv': { readonly schema: JsonSchema };
}

export interface JsonContent {
  readonly 'application/json': { readonly schema: JsonSchema; readonly examples?: Readonly<Record<string, OpenApiExample>> };
}

/** A stream of events; the schema describes the `data` of one event. */
export interface StreamContent {
  readonly 'text/event-stream': JsonContent['application/json'];
}

export interface FormContent {
  readonly 'multipart/form-data': { readonly schema: JsonSchema };
}

export interface OpenApiExample {
  readonly summary: string;
  readonly value: unknown;
}

export interface Reference {
  readonly $ref: string;
}
