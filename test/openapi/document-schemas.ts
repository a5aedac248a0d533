/** The compiled schemas of an OpenAPI 3.1 document: a value can be checked against any of them. */
import { createRequire } from 'node:module';
import type { JsonSchema, OpenApiDocument } from '@market/contract';
import type { Ajv2020 as Ajv, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

// Both packages are CommonJS, but their types say otherwise.
const require = createRequire(import.meta.url);
const { Ajv2020 } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv };
const addFormats = require('ajv-formats') as (ajv: Ajv) => void;

export type Pointer = readonly string[];

export interface DocumentSchemas {
  /** The value's violations of the schema at this pointer; empty if there are none. */
  check(pointer: Pointer, value: unknown): readonly string[];
  /** The same, and every field that the schema does not name is a violation. */
  checkClosed(pointer: Pointer, value: unknown): readonly string[];
  /** Checks a parameter or header: text is converted to the schema's type. */
  checkText(pointer: Pointer, value: unknown): readonly string[];
}

export function compileDocument(document: OpenApiDocument): DocumentSchemas {
  const open = checker(document, {});
  const text = checker(document, { coerceTypes: true });
  const closed = checker(closeDocument(document), {});
  return { check: open, checkClosed: closed, checkText: text };
}

function checker(document: object, options: { readonly coerceTypes?: boolean }): DocumentSchemas['check'] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, ...options });
  addFormats(ajv);
  // Binary stands for a file in a form, which has no text to check.
  ajv.addFormat('binary', true);
  ajv.addFormat('base64', /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
  ajv.addSchema(document, 'document');
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, value) => {
    const address = `document#/${pointer.map(escapePart).join('/')}`;
    const validate = compiled.get(address) ?? ajv.compile({ $ref: address });
    compiled.set(address, validate);
    // Coercion writes into the parent, so the value needs one.
    const held = { value: structuredClone(value) };
    return validate(held.value) ? [] : (validate.errors ?? []).map(inWords);
  };
}

function inWords({ instancePath, message, params, keyword }: ErrorObject): string {
  const details = keyword === 'unevaluatedProperties' || keyword === 'enum' || keyword === 'const' ? ` ${JSON.stringify(params)}` : '';
  return `${instancePath === '' ? 'the value' : instancePath} ${message}${details}`;
}

function escapePart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/**
 * Answers may gain fields without notice, so the document leaves objects open. But a field of today's answers must be in the document: here
 * every object that describes a value is closed, with the fields of all its alternatives and parts.
 */
function closeDocument(document: OpenApiDocument): object {
  return mapSchemas(document) as object;
}

function mapSchemas(node: unknown, key?: string): unknown {
  if (Array.isArray(node)) return node.map((item) => mapSchemas(item));
  if (node === null || typeof node !== 'object') return node;
  if (key === 'schema') return closeValue(node as JsonSchema);
  const entries = Object.entries(node);
  if (key === 'schemas') return Object.fromEntries(entries.map(([name, schema]) => [name, closeWithin(schema as JsonSchema)]));
  return Object.fromEntries(entries.map(([name, value]) => [name, name === 'examples' ? value : mapSchemas(value, name)]));
}

/** Closes a schema that describes a whole value. */
function closeValue(schema: JsonSchema): JsonSchema {
  const within = closeWithin(schema);
  return namesFields(schema) ? ({ ...within, unevaluatedProperties: false } as JsonSchema) : within;
}

/** Closes the schemas inside; the object itself may be part of a larger one. */
function closeWithin(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties, anyOf, oneOf, allOf } = schema;
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, closeValue(field)])) }),
    ...(items && { items: closeValue(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: closeValue(additionalProperties) }),
    ...(anyOf && { anyOf: anyOf.map(closeWithin) }),
    ...(oneOf && { oneOf: oneOf.map(closeWithin) }),
    ...(allOf && { allOf: allOf.map(closeWithin) }),
  };
}

function namesFields({ $ref, properties, anyOf, oneOf, allOf }: JsonSchema): boolean {
  if ($ref !== undefined || properties !== undefined) return true;
  return [anyOf, oneOf, allOf].some((parts) => parts?.some(namesFields));
}
