/**
 * Keeps the property tests bounded as operations are added: every run tries a random share of each list, announced by its seed.
 * `SEED=<number>` repeats a run, `THOROUGH=1` tries everything.
 */
import { createHash } from 'node:crypto';

export const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
process.stdout.write(`SEED=${seed}\n`);

const isThorough = process.env['THOROUGH'] === '1';

/** `count` of the items; which ones depends on the seed and the label alone, not on what ran before. */
export function sample<T>(label: string, items: readonly T[], count: number): T[] {
  if (isThorough || items.length <= count) return [...items];
  const rank = (index: number) => createHash('sha256').update(`${seed} ${label} ${index}`).digest('hex');
  const ranked = items.map((item, index) => ({ item, rank: rank(index) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, count).map(({ item }) => item);
}
