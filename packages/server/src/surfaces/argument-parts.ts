/** Sorts the flat arguments of a call into the four parts that the contract defines for an operation. */
import type { NamedOperation, OperationSpec } from '@market/contract';

export type Arguments = Readonly<Record<string, unknown>>;

export const partNames = ['path', 'query', 'body', 'headers'] as const;
export type PartName = (typeof partNames)[number];

export interface SortedArguments extends Record<PartName, Record<string, unknown>> {
  /** Arguments the operation does not have. */
  readonly unknown: readonly string[];
}

const known = new WeakMap<OperationSpec, ReadonlyMap<string, PartName>>();

/** The part of each argument. */
export function partsByArgument({ spec }: NamedOperation): ReadonlyMap<string, PartName> {
  const found = known.get(spec);
  if (found !== undefined) return found;
  const parts = new Map(partNames.flatMap((part) => Object.keys(spec.input?.[part]?.shape ?? {}).map((name) => [name, part] as const)));
  known.set(spec, parts);
  return parts;
}

/** Files are not arguments here: the executor receives them separately. */
export function sortArguments(operation: NamedOperation, args: Arguments): SortedArguments {
  const parts = partsByArgument(operation);
  const fileField = operation.spec.rest.multipart?.field;
  const unknown: string[] = [];
  const sorted = { path: {}, query: {}, body: {}, headers: {}, unknown } as SortedArguments;
  for (const [name, value] of Object.entries(args)) {
    const part = parts.get(name);
    if (value === undefined || (part === undefined && name === fileField)) continue;
    if (part === undefined) unknown.push(name);
    else sorted[part][name] = value;
  }
  return sorted;
}
