/** Turns an operation and known arguments into a ready call for REST, SDK, command line and pages. */
import type { z } from 'zod';
import type { OperationSpec } from '../define-operation.ts';
import type { NextAction } from '../kernel/next-action.ts';
import { kebabCase } from '../kernel/spelling.ts';
import { toWireTime } from '../kernel/wire.ts';
import { type OperationName, operationList } from '../operations.ts';

export interface CallTemplate {
  readonly operation: OperationName;
  /** One sentence: what the call does. */
  readonly meaning: string;
  /** Arguments beside the ids. */
  readonly args?: Readonly<Record<string, string>>;
  /** Fields that this action needs although the operation does not require them. */
  readonly required?: readonly string[];
  readonly oneOf?: readonly string[];
}

type Part = 'path' | 'query' | 'body';

export function readyCall(action: string, template: CallTemplate, ids: Readonly<Record<string, string>>, until: Date | null): NextAction {
  const spec = specOf(template.operation);
  const { method, selector } = spec.rest;
  const known: Record<string, string> = { ...ids, ...template.args };
  const oneOf = [...(template.oneOf ?? [])];
  const required = [...new Set([...requiredFields(spec), ...(template.required ?? [])])].filter((name) => known[name] === undefined);
  return {
    action,
    operation: template.operation,
    method,
    path: addressOf(spec, known),
    body: { ...(selector !== undefined && { [selector.field]: selector.value }), ...pick(spec, 'body', known) },
    required,
    one_of: oneOf,
    command: commandOf(template.operation, known, [...required, ...oneOf.slice(0, 1)]),
    tool: toolOf(spec, known),
    meaning: template.meaning,
    until: until === null ? null : toWireTime(until),
  };
}

/** The tool with its arguments, by the tool's names. */
function toolOf({ mcp }: OperationSpec, known: Readonly<Record<string, string>>): NextAction['tool'] {
  if (mcp === undefined) return null;
  const renamed = new Map(Object.entries(mcp.names ?? {}).map(([argument, field]) => [field, argument]));
  return {
    name: mcp.tool,
    arguments: Object.fromEntries(Object.entries(known).map(([field, value]) => [renamed.get(field) ?? field, value])),
  };
}

function specOf(name: OperationName): OperationSpec {
  const spec = operationList.find((operation) => operation.name === name)?.spec;
  if (spec === undefined) throw new Error(`there is no operation ${name}`);
  return spec;
}

function shapeOf(spec: OperationSpec, part: Part): Readonly<Record<string, z.core.$ZodType>> {
  return spec.input?.[part]?.shape ?? {};
}

const requiredByName = new WeakMap<OperationSpec, readonly string[]>();

/** Required fields, derived from the schema once. */
function requiredFields(spec: OperationSpec): readonly string[] {
  const kept = requiredByName.get(spec);
  if (kept !== undefined) return kept;
  const fields = (['path', 'query', 'body'] as const).flatMap((part) => Object.entries(shapeOf(spec, part)));
  const required = fields.filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success).map(([name]) => name);
  requiredByName.set(spec, required);
  return required;
}

function pick(spec: OperationSpec, part: Part, known: Readonly<Record<string, string>>): Record<string, string> {
  const shape = shapeOf(spec, part);
  return Object.fromEntries(Object.entries(known).filter(([name]) => Object.hasOwn(shape, name)));
}

function addressOf(spec: OperationSpec, known: Readonly<Record<string, string>>): string {
  const path = spec.rest.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(known[name] ?? ''));
  const query = new URLSearchParams(pick(spec, 'query', known)).toString();
  return query === '' ? path : `${path}?${query}`;
}

function commandOf(operation: OperationName, known: Readonly<Record<string, string>>, open: readonly string[]): string {
  const flags = [...Object.entries(known), ...open.map((name) => [name, name.toUpperCase()] as const)];
  const [group = '', method = ''] = operation.split('.');
  return ['market', kebabCase(group), kebabCase(method), ...flags.map(([name, value]) => `--${kebabCase(name)} ${value}`)].join(' ');
}
