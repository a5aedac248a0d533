/** Describes schemas as one row per field, for the docs, the reference page and the command line. */
import type { z } from 'zod';
import type { OperationInput, OperationOutput, RestBinding } from '../define-operation.ts';
import { convertSchema, type JsonSchema } from './json-schema.ts';

type FieldKind = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'json' | 'file';

export interface FieldReference {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body' | 'headers';
  /** The type as people read it: `string`, `integer or null`, `string[]`. */
  readonly type: string;
  /** How the command line parses a value of this field. */
  readonly kind: FieldKind;
  readonly itemKind: FieldKind;
  readonly nullable: boolean;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description: string;
}

export interface AnswerField {
  /** `data.agents[].id`, `total` */
  readonly path: string;
  readonly type: string;
  readonly optional: boolean;
  readonly description: string;
}

type Definitions = Readonly<Record<string, JsonSchema>>;

export function describeInput(input: OperationInput | undefined): FieldReference[] {
  return (['path', 'query', 'body', 'headers'] as const).flatMap((part) => {
    const schema = input?.[part];
    return schema === undefined ? [] : describePart(schema, part);
  });
}

function describePart(schema: z.ZodObject, part: FieldReference['in']): FieldReference[] {
  const { root, definitions } = convertSchema(schema, 'input');
  const object = resolve(root, definitions);
  return Object.entries(object.properties ?? {}).map(([name, property]) => {
    const shape = shapeOf(property, definitions);
    return {
      name,
      in: part,
      type: shape.words,
      kind: shape.kind,
      itemKind: shape.itemKind,
      nullable: shape.nullable,
      required: object.required?.includes(name) ?? false,
      ...(property.default === undefined ? {} : { default: property.default }),
      description: sentences([shape.description, boundsOf(shape.schema, definitions)]),
    };
  });
}

/** The file of a multipart operation: a path on the command line, a `Blob` in the SDK. */
export function describeFile({ multipart }: RestBinding): FieldReference[] {
  if (multipart === undefined) return [];
  const { field: name, maxBytes } = multipart;
  const description = describeFileSize(maxBytes);
  return [{ name, in: 'body', type: 'file', kind: 'file', itemKind: 'file', nullable: false, required: true, description }];
}

export function describeFileSize(maxBytes: number): string {
  return `At most ${maxBytes / 1024 / 1024} MiB.`;
}

export function describeAnswer(output: OperationOutput): AnswerField[] {
  const data = convertSchema(output.data, 'output');
  if (output.bare === true || output.stream === true) return childFields('', data.root, data.definitions);
  const extras = output.extras === undefined ? undefined : convertSchema(output.extras, 'output');
  return [
    ...answerFields('data', data.root, data.definitions, false),
    ...(extras === undefined ? [] : childFields('', extras.root, extras.definitions)),
  ];
}

/** Deeper than every record, and a stop for recursive ones. */
const DEEPEST_PATH = 8;

function answerFields(path: string, schema: JsonSchema, definitions: Definitions, optional: boolean): AnswerField[] {
  const shape = shapeOf(schema, definitions);
  const row = { path, type: shape.words, optional, description: sentences([shape.description, choicesOf(shape.schema, definitions)]) };
  if (path.split('.').length >= DEEPEST_PATH) return [row];
  const item = shape.kind === 'array' ? resolve(shape.schema.items ?? {}, definitions) : undefined;
  if (item?.['x-brief'] === true)
    return [{ ...row, description: `${row.description} Each has ${Object.keys(item.properties ?? {}).join(', ')}.` }];
  if (shape.kind === 'array') return [row, ...childFields(`${path}[].`, shape.schema.items ?? {}, definitions)];
  return [row, ...childFields(`${path}.`, shape.schema, definitions)];
}

function childFields(prefix: string, schema: JsonSchema, definitions: Definitions): AnswerField[] {
  const object = shapeOf(schema, definitions).schema;
  return Object.entries(object.properties ?? {}).flatMap(([name, property]) =>
    answerFields(`${prefix}${name}`, property, definitions, !(object.required?.includes(name) ?? false)),
  );
}

interface Shape {
  readonly schema: JsonSchema;
  readonly words: string;
  readonly kind: FieldKind;
  readonly itemKind: FieldKind;
  readonly nullable: boolean;
  readonly description: string | undefined;
}

/** Resolves references and `or null` to the schema of the value. */
function shapeOf(schema: JsonSchema, definitions: Definitions): Shape {
  const resolved = resolve(schema, definitions);
  const { schema: bare, nullable } = withoutNull(resolved, definitions);
  const words = wordsOf(bare, definitions);
  const kind = kindOf(bare);
  return {
    schema: bare,
    words: nullable ? `${words} or null` : words,
    kind,
    itemKind: kind === 'array' ? shapeOf(bare.items ?? {}, definitions).kind : kind,
    nullable,
    description: schema.description ?? resolved.description ?? bare.description,
  };
}

function resolve(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (definitions[name] ?? {});
}

function withoutNull(schema: JsonSchema, definitions: Definitions): { schema: JsonSchema; nullable: boolean } {
  if (Array.isArray(schema.type)) {
    const [type, ...more] = schema.type.filter((name) => name !== 'null');
    return { schema: { ...schema, type: more.length === 0 && type !== undefined ? type : 'any' }, nullable: schema.type.includes('null') };
  }
  const alternatives = schema.anyOf?.filter((alternative) => alternative.type !== 'null') ?? [];
  const nullable = schema.anyOf !== undefined && alternatives.length < schema.anyOf.length;
  const [only, ...others] = alternatives;
  if (only !== undefined && others.length === 0) return { schema: resolve(only, definitions), nullable };
  return { schema: nullable ? { ...schema, anyOf: alternatives } : schema, nullable };
}

function wordsOf(schema: JsonSchema, definitions: Definitions): string {
  if (schema.type === 'array') return `${shapeOf(schema.items ?? {}, definitions).words}[]`;
  if (schema.format === 'uri') return 'URL';
  if (schema.format === 'date-time') return 'ISO 8601 time';
  if (schema.const !== undefined) return schema.const === '' ? 'empty string' : JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map((alternative) => shapeOf(alternative, definitions).words).join(' or ');
  return typeof schema.type === 'string' ? schema.type : 'any';
}

function kindOf(schema: JsonSchema): FieldKind {
  if (schema.anyOf?.every((alternative) => alternative.type === 'string')) return 'string';
  switch (schema.type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'array':
      return schema.type;
    default:
      return 'json';
  }
}

function choicesOf(schema: JsonSchema, definitions: Definitions): string | undefined {
  const source = schema.type === 'array' ? shapeOf(schema.items ?? {}, definitions).schema : schema;
  if (source.enum === undefined) return undefined;
  const choices = source.enum.map((choice) => `\`${String(choice)}\``);
  const [only = '', ...others] = choices;
  if (others.length > 0) return `One of ${choices.join(', ')}`;
  return schema.description?.includes(only) ? undefined : `Only ${only}`;
}

function boundsOf(schema: JsonSchema, definitions: Definitions): string | undefined {
  return (
    choicesOf(schema, definitions) ??
    rangeOf(schema.minLength, schema.maxLength, ' characters') ??
    rangeOf(schema.minItems, schema.maxItems, ' items') ??
    rangeOf(schema.minimum, schema.maximum, '')
  );
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (max === undefined) return min === undefined || min === 0 ? undefined : `At least ${min}${unit}`;
  return min === undefined || min === 0 ? `At most ${max}${unit}` : `${min}-${max}${unit}`;
}

function sentences(parts: readonly (string | undefined)[]): string {
  const present = parts
    .filter((part) => part !== undefined)
    .map((part) => (part.startsWith('null ') ? part : part.charAt(0).toUpperCase() + part.slice(1)));
  return present.length === 0 ? '' : `${present.join('. ')}.`;
}
