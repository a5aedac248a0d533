// Draws a geometric poster from words: letters choose the shapes of tiles, named colours its palette. The same words give the same poster.
import { createHash } from 'node:crypto';
import { type Colour, encodePng } from './png.ts';

const SIZE = 1200;
const MARGIN = 60;

const named: Readonly<Record<string, Colour>> = {
  red: [186, 52, 42],
  orange: [226, 122, 44],
  yellow: [242, 190, 58],
  green: [58, 124, 82],
  moss: [96, 118, 62],
  teal: [34, 116, 122],
  blue: [38, 84, 124],
  purple: [98, 66, 122],
  pink: [214, 128, 148],
  brown: [112, 76, 52],
  grey: [128, 136, 130],
  gray: [128, 136, 130],
  stone: [168, 164, 150],
  black: [24, 32, 28],
  white: [252, 252, 249],
};

const grounds: readonly Colour[] = [
  [242, 245, 239],
  [238, 232, 220],
  [226, 234, 236],
];

const sets: readonly (readonly Colour[])[] = [
  [named['green'], named['yellow'], named['black']],
  [named['blue'], named['orange'], named['stone']],
  [named['teal'], named['red'], named['grey']],
  [named['purple'], named['moss'], named['pink']],
].map((set) => set.filter((colour) => colour !== undefined));

/** Whether a point is inked; coordinates go from 0 to 1. */
type Motif = (x: number, y: number) => boolean;

const motifs: readonly Motif[] = [
  (x, y) => x * x + y * y <= 1,
  (x, y) => x + y <= 1,
  (x, y) => Math.abs(x - 0.5) < 0.32 && Math.abs(y - 0.5) < 0.32,
  (x, y) => (x - 0.5) ** 2 + (y - 0.5) ** 2 <= 0.16,
  (_x, y) => y < 0.5,
  (x, y) => x * x + y * y <= 1 && x * x + y * y > 0.3,
  (x) => Math.floor(x * 6) % 2 === 0,
];

export function drawPoster(words: string): Uint8Array<ArrayBuffer> {
  const letters = words.toLowerCase();
  const chance = createHash('sha512').update(letters).digest();
  const palette = choosePalette(letters, chance);
  const tiles = tilesPerSide(letters);
  const tileSize = (SIZE - 2 * MARGIN) / tiles;
  const pixels = new Uint8Array(SIZE * SIZE);
  for (let row = 0; row < tiles; row++) {
    for (let column = 0; column < tiles; column++) {
      const roll = chance[(row * tiles + column) % chance.length] ?? 0;
      const letter = letters.charCodeAt((row * tiles + column) % Math.max(letters.length, 1)) || 0;
      const motif = motifs[(letter + roll) % motifs.length] ?? motifs[0];
      const ink = 1 + ((roll >> 3) % (palette.length - 1));
      if (motif !== undefined)
        drawTile(pixels, { left: MARGIN + column * tileSize, top: MARGIN + row * tileSize, size: tileSize }, motif, roll & 3, ink);
    }
  }
  return encodePng(SIZE, palette, pixels);
}

/** The more words, the more tiles. */
function tilesPerSide(words: string): number {
  const count = words.split(/\s+/).filter((word) => word !== '').length;
  return Math.min(9, 3 + Math.floor(count / 6));
}

/** Returns the ground, then the inks: colours that the words name, in their order, or one of our sets. */
function choosePalette(words: string, chance: Buffer): readonly Colour[] {
  const mentioned = (words.match(/[a-z]+/g) ?? []).map((word) => named[word]).filter((colour) => colour !== undefined);
  const inks = [...new Set(mentioned)].slice(0, 6);
  const ground = grounds[(chance[60] ?? 0) % grounds.length] ?? [255, 255, 255];
  const fallback = sets[(chance[61] ?? 0) % sets.length] ?? [];
  return [ground, ...(inks.length >= 2 ? inks : [...inks, ...fallback])];
}

interface Tile {
  readonly left: number;
  readonly top: number;
  readonly size: number;
}

function drawTile(pixels: Uint8Array, { left, top, size }: Tile, motif: Motif, quarterTurns: number, ink: number): void {
  const [fromX, fromY, toX, toY] = [Math.round(left), Math.round(top), Math.round(left + size), Math.round(top + size)];
  for (let y = fromY; y < toY; y++) {
    for (let x = fromX; x < toX; x++) {
      const [across, down] = turn((x - fromX) / (toX - fromX), (y - fromY) / (toY - fromY), quarterTurns);
      if (motif(across, down)) pixels[y * SIZE + x] = ink;
    }
  }
}

function turn(x: number, y: number, quarterTurns: number): readonly [number, number] {
  if (quarterTurns === 1) return [y, 1 - x];
  if (quarterTurns === 2) return [1 - x, 1 - y];
  return quarterTurns === 3 ? [1 - y, x] : [x, y];
}
