/**
 * How much a test repeats. `npm test` tries some of each kind of thing; `npm test -- --thorough`, which CI runs, tries every one. What a
 * test leaves out in an everyday run is mostly another round, point, network, page or random input.
 */
export const THOROUGH = 'TEST_THOROUGH';

export const isThorough: boolean = process.env[THOROUGH] === '1';

/** Why a test is skipped that proves what changes rarely and costs much. */
export const THOROUGH_ONLY = 'only in a thorough run (npm test -- --thorough)';

/** Rounds of a race, or runs of a property. */
export function times(everyday: number, thorough: number): number {
  return isThorough ? thorough : everyday;
}

/** All of a list in a thorough run; otherwise some, the first among them, at equal distances. */
export function some<T>(items: readonly T[], everyday: number): readonly T[] {
  return isThorough ? items : spread(items, everyday);
}

export function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (count >= items.length) return items;
  return Array.from({ length: count }, (_, n) => items[Math.floor((n * items.length) / count)] as T);
}
