/**
 * Text → the black and white squares of a QR code: byte mode, error level M, up to 213 bytes, which is enough for a payment link.
 * The numbers are those of ISO/IEC 18004.
 */

interface Version {
  /** Data bytes per block; blocks are coded one by one and then interleaved. */
  readonly blocks: readonly number[];
  readonly correction: number;
  readonly alignment: readonly number[];
}

const times = (count: number, bytes: number): number[] => Array.from({ length: count }, () => bytes);

const versions: readonly Version[] = [
  { blocks: [16], correction: 10, alignment: [] },
  { blocks: [28], correction: 16, alignment: [6, 18] },
  { blocks: [44], correction: 26, alignment: [6, 22] },
  { blocks: times(2, 32), correction: 18, alignment: [6, 26] },
  { blocks: times(2, 43), correction: 24, alignment: [6, 30] },
  { blocks: times(4, 27), correction: 16, alignment: [6, 34] },
  { blocks: times(4, 31), correction: 18, alignment: [6, 22, 38] },
  { blocks: [...times(2, 38), ...times(2, 39)], correction: 22, alignment: [6, 24, 42] },
  { blocks: [...times(3, 36), ...times(2, 37)], correction: 22, alignment: [6, 26, 46] },
  { blocks: [...times(4, 43), 44], correction: 26, alignment: [6, 28, 50] },
];

/** Rows of squares, true is black, without the quiet border. Throws when the text is too long. */
export function qrMatrix(text: string): readonly (readonly boolean[])[] {
  const bytes = new TextEncoder().encode(text);
  const number = versions.findIndex(({ blocks }, index) => bytes.length + (index < 9 ? 2 : 3) <= sum(blocks)) + 1;
  const version = versions[number - 1];
  if (version === undefined) throw new Error('The text is too long for a code.');
  const codewords = interleave(packBytes(bytes, number, sum(version.blocks)), version);
  const candidates = maskRules.map((_, mask) => draw(number, version, codewords, mask));
  return candidates.reduce((best, candidate) => (penaltyOf(candidate) < penaltyOf(best) ? candidate : best));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}

/** Mode, length, bytes, end mark, then filler. */
function packBytes(bytes: Uint8Array, version: number, capacity: number): number[] {
  const bits = toBits(0b0100, 4).concat(toBits(bytes.length, version < 10 ? 8 : 16), ...Array.from(bytes, (byte) => toBits(byte, 8)));
  bits.push(...times(Math.min(4, capacity * 8 - bits.length), 0));
  bits.push(...times((8 - (bits.length % 8)) % 8, 0));
  const packed = Array.from({ length: bits.length / 8 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2));
  return [...packed, ...Array.from({ length: capacity - packed.length }, (_, at) => (at % 2 === 0 ? 0xec : 0x11))];
}

function toBits(value: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => (value >> (count - 1 - at)) & 1);
}

function interleave(data: readonly number[], { blocks, correction }: Version): number[] {
  let from = 0;
  const parts = blocks.map((length) => {
    from += length;
    return data.slice(from - length, from);
  });
  const checks = parts.map((part) => correctionOf(part, correction));
  return [...columns(parts), ...columns(checks)];
}

function columns(rows: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...rows.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => rows.flatMap((row) => row[at] ?? [])).flat();
}

/** Multiplication in the field of 256 elements that the standard fixes. */
export function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ (product >= 128 ? 0x11d : 0);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** Remainder of the data, as a polynomial, by the product of (x − 2^i). */
function correctionOf(data: readonly number[], count: number): number[] {
  let generator = [1];
  for (let power = 0, root = 1; power < count; power += 1, root = multiply(root, 2)) {
    const shifted = [...generator, 0];
    generator = shifted.map((coefficient, at) => coefficient ^ multiply(generator[at - 1] ?? 0, root));
  }
  const rest = [...data, ...times(count, 0)];
  for (let at = 0; at < data.length; at += 1) {
    const factor = rest[at] ?? 0;
    for (const [offset, coefficient] of generator.entries()) rest[at + offset] = (rest[at + offset] ?? 0) ^ multiply(coefficient, factor);
  }
  return rest.slice(data.length);
}

export const maskRules: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

type Grid = (boolean | undefined)[][];

function draw(number: number, { alignment }: Version, codewords: readonly number[], mask: number): boolean[][] {
  const grid = drawFixed(number, alignment, mask);
  const bits = codewords.flatMap((word) => toBits(word, 8));
  const rule = maskRules[mask];
  let next = 0;
  for (const [row, column] of freePath(grid)) {
    const line = grid[row];
    if (line !== undefined) line[column] = (bits[next] === 1) !== (rule?.(row, column) ?? false);
    next += 1;
  }
  return grid.map((line) => line.map((square) => square === true));
}

/** Two columns at a time from the right, up and down in turn, around what is drawn already. */
export function freePath(grid: readonly (readonly unknown[])[]): [row: number, column: number][] {
  const size = grid.length;
  const path: [number, number][] = [];
  let upwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const row = upwards ? size - 1 - step : step;
      for (const column of [right, right - 1]) if (grid[row]?.[column] === undefined) path.push([row, column]);
    }
    upwards = !upwards;
  }
  return path;
}

/** Everything but the data: finders, timing, alignment, format and version. */
export function drawFixed(number: number, alignment: readonly number[], mask: number): Grid {
  const size = 17 + 4 * number;
  const grid: Grid = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined));
  const set = (row: number, column: number, black: boolean): void => {
    const line = grid[row];
    if (line !== undefined && column >= 0 && column < size) line[column] = black;
  };
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ] as const)
    square(set, top + 3, left + 3, 4, (ring) => ring !== 2 && ring !== 4);
  for (const row of alignment)
    for (const column of alignment) {
      const onFinder = (row === 6 && column === 6) || (row === 6 && column === size - 7) || (row === size - 7 && column === 6);
      if (!onFinder) square(set, row, column, 2, (ring) => ring !== 1);
    }
  for (let at = 8; at < size - 8; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  drawFormat(set, size, mask);
  if (number >= 7) drawVersion(set, size, number);
  return grid;
}

type Set = (row: number, column: number, black: boolean) => void;

function square(set: Set, row: number, column: number, reach: number, isBlack: (ring: number) => boolean): void {
  for (let down = -reach; down <= reach; down += 1)
    for (let across = -reach; across <= reach; across += 1)
      set(row + down, column + across, isBlack(Math.max(Math.abs(down), Math.abs(across))));
}

/** Five bits that matter, ten that protect them, twice. Level M is 00. */
function drawFormat(set: Set, size: number, mask: number): void {
  const bits = protect(mask, 10, 0x537) ^ 0x5412;
  const black = (at: number): boolean => ((bits >> at) & 1) === 1;
  for (let at = 0; at < 15; at += 1) {
    if (at < 8) set(at < 6 ? at : at + 1, 8, black(at));
    else set(size - 15 + at, 8, black(at));
    if (at < 8) set(8, size - 1 - at, black(at));
    else set(8, at === 8 ? 7 : 14 - at, black(at));
  }
  set(size - 8, 8, true);
}

function drawVersion(set: Set, size: number, number: number): void {
  const bits = protect(number, 12, 0x1f25);
  for (let at = 0; at < 18; at += 1) {
    const black = ((bits >> at) & 1) === 1;
    set(Math.floor(at / 3), size - 11 + (at % 3), black);
    set(size - 11 + (at % 3), Math.floor(at / 3), black);
  }
}

function protect(value: number, count: number, generator: number): number {
  let rest = value;
  for (let step = 0; step < count; step += 1) rest = (rest << 1) ^ ((rest >> (count - 1)) & 1 ? generator : 0);
  return (value << count) | rest;
}

/** How hard the pattern is to read: long runs, blocks of one colour, and an uneven balance. */
function penaltyOf(rows: readonly (readonly boolean[])[]): number {
  const turned = rows.map((_, at) => rows.map((row) => row[at] ?? false));
  const runs = [...rows, ...turned].flatMap(
    (line) =>
      line
        .map((black) => (black ? '1' : '0'))
        .join('')
        .match(/0{5,}|1{5,}/g) ?? [],
  );
  const longRuns = sum(runs.map(({ length }) => length - 2));
  const finders = [...rows, ...turned].map((line) => line.map((black) => (black ? '1' : '0')).join(''));
  const lookalikes = sum(finders.map((line) => (line.match(/(?=00001011101|10111010000)/g) ?? []).length));
  const blocks = sum(
    rows.map(
      (row, at) =>
        row.filter((black, column) =>
          [rows[at + 1]?.[column], row[column + 1], rows[at + 1]?.[column + 1]].every((other) => other === black),
        ).length,
    ),
  );
  const dark = rows.flat().filter(Boolean).length / rows.length ** 2;
  return longRuns + 3 * blocks + 40 * lookalikes + 10 * Math.floor(Math.abs(dark * 20 - 10));
}
