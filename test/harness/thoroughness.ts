/**
 * How much a test repeats. `npm test` tries some cases of each kind; `npm test -- --thorough`, which CI runs, tries all. An everyday run
 * mostly leaves out further rounds, points, networks, pages or random inputs.
 */
export const THOROUGH = 'TEST_THOROUGH';

export const isThorough: boolean = process.env[THOROUGH] === '1';

/** The reason for skipping a test of something that rarely changes and costs much. */
export const THOROUGH_ONLY = 'only in a thorough run (npm test -- --thorough)';

/** Rounds of a race, or runs of a property. */
export function times(everyday: number, thorough: number): number {
  return isThorough ? thorough : everyday;
}

/** The whole list in a thorough run; otherwise some of it at equal distances, with the first. */
export function some<T>(items: readonly T[], everyday: number): readonly T[] {
  return isThorough ? items : spread(items, everyday);
}

export function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (count >= items.length) return items;
  return Array.from({ length: count }, (_, n) => items[Math.floor((n * items.length) / count)] as T);
}
