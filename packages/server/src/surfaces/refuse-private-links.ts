/**
 * URLs in a request must not point into a private network. The rule covers every URL field in an operation's schemas, so a new field needs
 * no change here. It checks the host as written, without DNS, because we never fetch these URLs.
 */
import { MarketError, type NamedOperation } from '@market/contract';
import { z } from 'zod';

export type IsPrivateLink = (url: string) => boolean;

/** We call this URL, so its feature checks it more strictly: https, port, DNS (`features/agents/public-endpoint.ts`). */
const CHECKED_BY_ITS_FEATURE: ReadonlySet<string> = new Set(['endpoint_url']);

type Schema = z.core.$ZodType;

const compiled = new WeakMap<NamedOperation, ReadonlyMap<string, Schema>>();

export function refusePrivateLinks(operation: NamedOperation, input: unknown, isPrivateLink: IsPrivateLink): void {
  for (const [field, schema] of linkFieldsOf(operation)) {
    const value = (input as Readonly<Record<string, unknown>>)[field];
    if (!linksIn(schema, value).some(isPrivateLink)) continue;
    const message = `${field} points at a private or reserved address. Use a public one.`;
    throw new MarketError('invalid_input', { message, data: { issues: [{ field, message }] } });
  }
}

/** The input fields of an operation that contain a URL, alone or inside a list or object. */
export function linkFieldsOf(operation: NamedOperation): ReadonlyMap<string, Schema> {
  const known = compiled.get(operation);
  if (known !== undefined) return known;
  const { query, body } = operation.spec.input ?? {};
  const fields = Object.entries({ ...query?.shape, ...body?.shape }).filter(
    ([field, schema]) => !CHECKED_BY_ITS_FEATURE.has(field) && holdsLink(schema),
  );
  const found = new Map<string, Schema>(fields);
  compiled.set(operation, found);
  return found;
}

function isLink(schema: Schema): boolean {
  return schema instanceof z.ZodURL;
}

function holdsLink(schema: Schema): boolean {
  return isLink(schema) || partsOf(schema).some(holdsLink);
}

function partsOf(schema: Schema): readonly Schema[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape);
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodPipe) return [schema.in];
  const { innerType } = schema._zod.def as { innerType?: Schema };
  return innerType === undefined ? [] : [innerType];
}

function linksIn(schema: Schema, value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (isLink(schema)) return typeof value === 'string' ? [value] : [];
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([field, part]) => linksIn(part, (value as Record<string, unknown>)[field]));
  if (schema instanceof z.ZodRecord) return Object.values(value).flatMap((item) => linksIn(schema.valueType as Schema, item));
  if (schema instanceof z.ZodArray) return (value as unknown[]).flatMap((item) => linksIn(schema.element, item));
  return partsOf(schema).flatMap((part) => linksIn(part, value));
}
