import type { NamedOperation } from '@market/contract';

/** Checks at start what the types cannot: that every definition has its handler. */
export function requireHandlers(
  operations: readonly NamedOperation[],
  handlers: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  paidHandlers: Readonly<Record<string, unknown>>,
): void {
  const answered = operations.filter(({ spec }) => spec.output.stream !== true);
  const missing = answered.filter(
    ({ name, group, method, spec }) =>
      typeof handlers[group]?.[method] !== 'function' || (spec.alsoPaid !== undefined && typeof paidHandlers[name] !== 'function'),
  );
  if (missing.length > 0) throw new Error(`operations without a handler: ${missing.map(({ name }) => name).join(', ')}`);
}
