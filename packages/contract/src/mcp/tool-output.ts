/** The answer of a tool: its schema, and where in it other parties' text and delivered files stand. */
import { z } from 'zod';
import type { OperationOutput } from '../kernel/operation.ts';
import { convertSchema, type JsonSchema } from '../openapi/json-schema.ts';
import type { ToolDefinition } from './tool.ts';
import { asObject } from './tool-input.ts';

/** Structured content is an object, so lists stand in `data` as they do in the envelope. */
export function outputSchemaOf({ data, extras }: OperationOutput): ToolDefinition['outputSchema'] {
  const { root, definitions } = convertSchema(z.object({ data, ...extras?.shape }), 'output');
  const schema = { ...asObject(root), ...(Object.keys(definitions).length > 0 && { $defs: definitions }) };
  return withoutWords(schema) as ToolDefinition['outputSchema'];
}

/** Answers explain themselves and the reference describes their fields; in the list of tools these words would be a fifth of all bytes. */
function withoutWords(schema: unknown, isNameMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => withoutWords(part));
  if (schema === null || typeof schema !== 'object') return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, part]) =>
      !isNameMap && key === 'description' ? [] : [[key, withoutWords(part, !isNameMap && (key === 'properties' || key === '$defs'))]],
    ),
  );
}

/** Deep enough for every record, and an end for one that contains itself. */
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

function escaped(field: string): string {
  return field.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The values at a pointer of `pointersTo`. */
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
