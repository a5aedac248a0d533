/** Draws random rows. The same seed draws the same rows, so that other people can repeat the draw. */
export function sampleRows(ids: readonly string[], size: number, seed: number): string[] {
  const rest = [...ids].sort();
  const next = mulberry32(seed);
  const drawn: string[] = [];
  while (drawn.length < size && rest.length > 0) drawn.push(...rest.splice(Math.floor(next() * rest.length), 1));
  return drawn.sort();
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
