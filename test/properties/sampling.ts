/**
 * Keeps the property tests bounded as operations are added: every run tries a share of each list, announced by its seed.
 * `SEED=<number>` repeats a run of a file, `THOROUGH=1` tries everything.
 */
import { createHash } from 'node:crypto';
import { isThorough, spread } from '../harness/thoroughness.ts';

export const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
process.stdout.write(`SEED=${seed}\n`);

const triesEverything = process.env['THOROUGH'] === '1';

export interface Share {
  readonly everyday: number;
  readonly thorough: number;
}

/** A random share in a thorough run: which items depends on the seed and the label alone. In an everyday run they take turns. */
export function sample<T>(label: string, items: readonly T[], { everyday, thorough }: Share): T[] {
  if (triesEverything) return [...items];
  if (!isThorough) return takeTurns(items, everyday);
  if (items.length <= thorough) return [...items];
  const rank = (index: number) => createHash('sha256').update(`${seed} ${label} ${index}`).digest('hex');
  const ranked = items.map((item, index) => ({ item, rank: rank(index) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, thorough).map(({ item }) => item);
}

const turns = new WeakMap<object, number>();

/** Some of the list at equal distances, one further with every call for the same list: after a few calls each item had its turn. */
function takeTurns<T>(items: readonly T[], count: number): T[] {
  const turn = turns.get(items) ?? seed % items.length;
  turns.set(items, turn + 1);
  const first = turn % items.length;
  return [...spread([...items.slice(first), ...items.slice(0, first)], count)];
}
