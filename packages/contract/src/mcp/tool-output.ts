/** The output schema of a tool, and the pointers to other parties' text and delivered files in its answers. */
import { z } from 'zod';
import type { OperationOutput, OperationSpec } from '../define-operation.ts';
import { type UntrustedText, untrustedTextIn } from '../kernel/untrusted-text.ts';
import { convertSchema, type JsonSchema } from '../openapi/json-schema.ts';
import type { ToolDefinition } from './tool.ts';
import { asObject } from './tool-input.ts';

/** The schema of a refusal: message, code, HTTP status and next actions. */
const refusal: JsonSchema = {
  type: 'object',
  properties: { error: { type: 'string' }, code: { type: 'string' }, status: { type: 'integer' }, next_actions: { type: 'array' } },
  required: ['error', 'code', 'status', 'next_actions'],
};

/** The schema of an x402 challenge. */
const priceChallenge: JsonSchema = {
  type: 'object',
  properties: { x402Version: { type: 'integer' }, accepts: { type: 'array' } },
  required: ['x402Version', 'accepts'],
};

/**
 * Structured content must be an object, so lists stand in `data`, as in the envelope. Refusals and challenges are part of the schema,
 * because older clients validate every result, errors included.
 */
export function outputSchemaOf({ output, challenge }: Pick<OperationSpec, 'output' | 'challenge'>): ToolDefinition['outputSchema'] {
  const { root, definitions } = convertSchema(z.object({ data: output.data, ...output.extras?.shape }), 'output');
  const schema = {
    type: 'object',
    anyOf: [asObject(root), refusal, ...(challenge === undefined ? [] : [priceChallenge])],
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
  return withoutWords(schema) as ToolDefinition['outputSchema'];
}

/** Drops field descriptions, a fifth of the bytes of the tool list: the reference has them. */
function withoutWords(schema: unknown, isNameMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => withoutWords(part));
  if (schema === null || typeof schema !== 'object') return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, part]) =>
      !isNameMap && key === 'description' ? [] : [[key, withoutWords(part, !isNameMap && (key === 'properties' || key === '$defs'))]],
    ),
  );
}

/** Deeper than every record, and a stop for recursive ones. */
const DEEPEST = 10;

type Chosen = (schema: JsonSchema, name: string) => boolean;

/** JSON pointers of the fields that `isChosen` accepts; `*` stands for every entry of a list or a record. */
export function pointersTo(schema: ToolDefinition['outputSchema'], isChosen: Chosen): readonly string[] {
  const definitions = schema.$defs ?? {};
  const found = new Set<string>();
  visit(schema, '', '');
  return [...found];

  function visit(part: JsonSchema, pointer: string, name: string): void {
    if (pointer.split('/').length > DEEPEST) return;
    const resolved = part.$ref === undefined ? part : (definitions[part.$ref.split('/').at(-1) ?? ''] ?? {});
    if (isChosen(part, name) || isChosen(resolved, name)) found.add(pointer);
    for (const alternative of [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])]) {
      visit(alternative, pointer, name);
    }
    for (const [field, child] of Object.entries(resolved.properties ?? {})) visit(child, `${pointer}/${escaped(field)}`, field);
    if (resolved.items !== undefined) visit(resolved.items, `${pointer}/*`, '');
    if (typeof resolved.additionalProperties === 'object') visit(resolved.additionalProperties, `${pointer}/*`, '');
  }
}

/** JSON pointers to the fields that other parties wrote. */
export function untrustedPointers(schema: ToolDefinition['outputSchema']): readonly string[] {
  return pointersTo(schema, (part) => part['x-untrusted'] === true);
}

const notes = new WeakMap<OperationOutput, UntrustedText>();

/** The note about untrusted fields in a REST answer. Pointers into a bare document begin at its root. */
export function untrustedTextOf({ output }: Pick<OperationSpec, 'output'>): UntrustedText {
  const known = notes.get(output);
  if (known !== undefined) return known;
  const pointers = untrustedPointers(outputSchemaOf({ output }));
  const note = untrustedTextIn(output.bare === true ? pointers.map((pointer) => pointer.replace(/^\/data/, '')) : pointers);
  notes.set(output, note);
  return note;
}

function escaped(field: string): string {
  return field.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns the values at a pointer of `pointersTo`. */
export function valuesAt(value: unknown, pointer: string): readonly unknown[] {
  let values: readonly unknown[] = [value];
  for (const step of pointer.split('/').slice(1)) {
    values = values.flatMap((one) => {
      if (one === null || typeof one !== 'object') return [];
      return step === '*' ? Object.values(one) : [(one as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')]];
    });
  }
  return values;
}
