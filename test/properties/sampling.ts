/**
 * Limits the property tests as operations are added: every run tries a share of each list, and prints its seed.
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

/**
 * A random share in a thorough run, dealt from a deck: every item of a list is tried equally often in each run, over all calls for that list.
 * In an everyday run the items take turns.
 */
export function sample<T>(items: readonly T[], { everyday, thorough }: Share): T[] {
  if (triesEverything) return [...items];
  return isThorough ? deal(items, thorough) : takeTurns(items, everyday);
}

const decks = new WeakMap<object, unknown[]>();
let decksMade = 0;

/** The next items of the list's deck, each once; an empty deck is shuffled anew. */
function deal<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  let deck = (decks.get(items) ?? []) as T[];
  const dealt = deck.splice(0, count);
  if (dealt.length < count) {
    deck = shuffle(items);
    for (const item of deck.filter((one) => !dealt.includes(one)).slice(0, count - dealt.length)) {
      dealt.push(item);
      deck.splice(deck.indexOf(item), 1);
    }
  }
  decks.set(items, deck);
  return dealt;
}

function shuffle<T>(items: readonly T[]): T[] {
  decksMade += 1;
  const rank = (index: number) => createHash('sha256').update(`${seed} ${decksMade} ${index}`).digest('hex');
  return items
    .map((item, index) => ({ item, rank: rank(index) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ item }) => item);
}

const turns = new WeakMap<object, number>();

/** Some of the list at equal distances, shifted by one with each call for the same list: after a few calls each item had its turn. */
function takeTurns<T>(items: readonly T[], count: number): T[] {
  const turn = turns.get(items) ?? seed % items.length;
  turns.set(items, turn + 1);
  const first = turn % items.length;
  return [...spread([...items.slice(first), ...items.slice(0, first)], count)];
}
