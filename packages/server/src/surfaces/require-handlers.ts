import type { NamedOperation } from '@market/contract';

/** The types ask for a handler per definition; this holds at start for whatever the types could not see. */
export function requireHandlers(
  operations: readonly NamedOperation[],
  handlers: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): void {
  const answered = operations.filter(({ spec }) => spec.output.stream !== true);
  const missing = answered.filter(({ group, method }) => typeof handlers[group]?.[method] !== 'function');
  if (missing.length > 0) throw new Error(`operations without a handler: ${missing.map(({ name }) => name).join(', ')}`);
}
