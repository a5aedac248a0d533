/**
 * Records with arbitrary keys, as arguments of tools. Strict schemas of hosts do not allow such objects, so a tool offers a list of labels
 * and answers. It also accepts the object of the REST call.
 */
import { z } from 'zod';
import type { JsonSchema } from '../openapi/json-schema.ts';

const entry = z.strictObject({ label: z.string(), answer: z.unknown() });
const entries = z.array(entry);

export function asListOfEntries(schema: JsonSchema): JsonSchema {
  const { propertyNames, additionalProperties, type, ...rest } = schema;
  if (propertyNames === undefined || typeof additionalProperties !== 'object') return schema;
  const properties = { label: propertyNames, answer: additionalProperties };
  const items: JsonSchema = { type: 'object', properties, required: ['label', 'answer'], additionalProperties: false };
  return { ...rest, type: 'array', items };
}

/** Turns a list of entries into a record. Every other value stays as it came, for the operation to validate. */
export function asEntries(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!Array.isArray(value) || !isRecordSchema(schema)) return value;
  const listed = entries.safeParse(value);
  if (!listed.success || new Set(listed.data.map(({ label }) => label)).size < value.length) return value;
  return Object.fromEntries(listed.data.map(({ label, answer }) => [label, answer]));
}

function isRecordSchema(schema: z.ZodType | undefined): boolean {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return inner instanceof z.ZodRecord;
}
