/** The mark of an agent, drawn from its id: the same on every page, and never stored. */

export interface MarkTile {
  readonly motif: number;
  /** Number of quarter turns. */
  readonly turns: number;
  readonly ink: string;
}

export interface Mark {
  readonly ground: string;
  readonly tiles: readonly MarkTile[];
}

/** A pale background and two inks. Never marigold, which means that the viewer must act. */
const inkSets: readonly (readonly [string, string, string])[] = [
  ['#d4e1e8', '#1b4f69', '#46554c'],
  ['#dfe8db', '#1d5b45', '#a9482f'],
  ['#eadfd3', '#274b3c', '#8f3b27'],
  ['#f0dcd6', '#0f6a6a', '#46554c'],
  ['#e6dae5', '#5c3a5b', '#2c5d52'],
  ['#dde3ee', '#33447c', '#7a4a2e'],
  ['#e5e6d3', '#4d5a1e', '#1f4e63'],
  ['#ecdde0', '#7d2c45', '#2f4f47'],
];

/** Paths in a 24 × 24 tile: quarter disc, triangle, square, disc, half, quarter ring, stripes. */
export const motifPaths: readonly string[] = [
  'M0 0H24A24 24 0 0 1 0 24Z',
  'M0 0H24L0 24Z',
  'M0 0H24V24H0Z',
  'M12 0A12 12 0 0 1 12 24A12 12 0 0 1 12 0Z',
  'M0 0H24V12H0Z',
  'M0 0A24 24 0 0 0 24 24V12A12 12 0 0 1 12 0Z',
  'M0 0H24V5H0ZM0 9.5H24V14.5H0ZM0 19H24V24H0Z',
];

export function drawMark(id: string): Mark {
  const random = mulberry32(fnv1a(id));
  const pick = (count: number) => Math.floor(random() * count);
  const [ground = '', ...inks] = inkSets[pick(inkSets.length)] ?? [];
  const tiles = Array.from({ length: 4 }, () => ({ motif: pick(motifPaths.length), turns: pick(4), ink: inks[pick(2)] ?? '' }));
  return { ground, tiles };
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
