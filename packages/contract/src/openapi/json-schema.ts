/** zod → JSON Schema, with every named schema (`.meta({ id })`) hoisted into one place. */
import { z } from 'zod';

export interface JsonSchema {
  $ref?: string;
  type?: string | readonly string[];
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  examples?: readonly unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  $defs?: Readonly<Record<string, JsonSchema>>;
  discriminator?: { propertyName: string };
  /** True: other parties wrote the text. */
  'x-untrusted'?: boolean;
  /** True: the schema is in so many answers that the reference only names its fields. */
  'x-brief'?: boolean;
}

/** Schemas differ by side for fields with a default: optional in the input, present in the output. */
export type SchemaSide = 'input' | 'output';

export interface ConvertedSchema {
  readonly root: JsonSchema;
  /** Named schemas, to which the root refers as `#/$defs/<name>`. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

export function convertSchema(schema: z.ZodType, side: SchemaSide): ConvertedSchema {
  const converted: object = z.toJSONSchema(schema, { io: side, override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema) });
  const { $schema: _dialect, $defs, ...root } = converted as JsonSchema & { $schema?: string; $defs?: Record<string, JsonSchema> };
  return { root, definitions: $defs ?? {} };
}

/** Removes details that zod adds and on which clients must not rely. */
function tidy(schema: JsonSchema): void {
  // Answers may gain fields without notice; a generated client must not refuse them.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
}

const DEFINITIONS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';
/** Marks a reference made from the input side until it is known whether both sides look the same. */
const INPUT_MARK = '#input';

/** Gathers named schemas while a document is being built, then gives each its final name. */
export class SchemaBook {
  readonly #definitions = { input: new Map<string, JsonSchema>(), output: new Map<string, JsonSchema>() };

  schemaOf(schema: z.ZodType, side: SchemaSide): JsonSchema {
    const { root, definitions } = convertSchema(schema, side);
    const toComponent = (ref: string) => ref.replace(DEFINITIONS, COMPONENTS) + (side === 'input' ? INPUT_MARK : '');
    for (const [name, definition] of Object.entries(definitions)) {
      this.#definitions[side].set(name, mapReferences(definition, toComponent));
    }
    return mapReferences(root, toComponent);
  }

  /** The document with final references, and the named schemas, sorted. A name that differs by side becomes `X` and `XInput`. */
  finish<T>(document: T): { readonly document: T; readonly schemas: Readonly<Record<string, JsonSchema>> } {
    const split = this.#namesThatDifferBySide();
    const finalName = (name: string, side: SchemaSide) => (side === 'input' && split.has(name) ? `${name}Input` : name);
    const finalReference = (ref: string) =>
      ref.endsWith(INPUT_MARK) ? COMPONENTS + finalName(ref.slice(COMPONENTS.length, -INPUT_MARK.length), 'input') : ref;

    const named = new Map<string, JsonSchema>();
    for (const side of ['output', 'input'] as const) {
      for (const [name, schema] of this.#definitions[side]) named.set(finalName(name, side), mapReferences(schema, finalReference));
    }
    const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1));
    return { document: mapReferences(document, finalReference), schemas: Object.fromEntries(sorted) };
  }

  #namesThatDifferBySide(): ReadonlySet<string> {
    const { input, output } = this.#definitions;
    const split = new Set<string>();
    const referencesSplit = (schema: JsonSchema) =>
      [...split].some((name) => JSON.stringify(schema).includes(`${COMPONENTS}${name}${INPUT_MARK}`));
    const differs = (name: string, schema: JsonSchema) => {
      const other = output.get(name);
      if (other === undefined || split.has(name)) return false;
      const unmarked = mapReferences(schema, (ref) => ref.replace(INPUT_MARK, ''));
      return JSON.stringify(unmarked) !== JSON.stringify(other) || referencesSplit(schema);
    };
    // A schema that refers to a split one is itself split, so repeat until nothing changes.
    for (let before = -1; before !== split.size; ) {
      before = split.size;
      for (const [name, schema] of input) if (differs(name, schema)) split.add(name);
    }
    return split;
  }
}

function mapReferences<T>(value: T, rename: (ref: string) => string): T {
  if (Array.isArray(value)) return value.map((item) => mapReferences(item, rename)) as T;
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).map(([key, field]) => [
    key,
    key === '$ref' && typeof field === 'string' ? rename(field) : mapReferences(field, rename),
  ]);
  return Object.fromEntries(fields) as T;
}
