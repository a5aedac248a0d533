/** A call as its REST binding would send it: a wallet signs this for a custody action, over any transport. */
import type { NamedOperation } from '@market/contract';
import type { Credentials } from '../access/credentials.ts';
import { type Arguments, sortArguments } from './argument-parts.ts';

export function restBindingOf(operation: NamedOperation, args: Arguments): Credentials['request'] {
  const { method, path } = operation.spec.rest;
  const sorted = sortArguments(operation, args);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(sorted.path[name] ?? '').toWellFormed()));
  return { method, path: filled, body: bodyOf(operation, sorted.body) };
}

/** Includes the field that selects the operation where several share a URL. */
export function bodyOf({ spec }: NamedOperation, body: Record<string, unknown>): Record<string, unknown> {
  const { selector } = spec.rest;
  return selector === undefined ? body : { ...body, [selector.field]: selector.value };
}
