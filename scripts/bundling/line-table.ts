/**
 * Writes a small table beside a bundle: the source of each line. Node's own source maps cost 20 MB at start and far more at the
 * first error; this table is read only when a stack trace is printed.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** `lines[n]` is `[source, line]` of line n + 1, or null for a line without a source. */
export interface LineTable {
  readonly sources: readonly string[];
  readonly lines: readonly (readonly [source: number, line: number] | null)[];
}

export const tableOf = (program: string): string => `${program}.lines.json`;

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** Replaces each source map in the folder by its table. Sources are named relative to `root`. */
export function writeLineTables(folder: string, root: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.js.map'))) {
    const map = JSON.parse(readFileSync(join(folder, name), 'utf8')) as SourceMap;
    const program = name.slice(0, -'.map'.length);
    const sources = map.sources.map((source) => relative(root, resolve(folder, source)));
    const table: LineTable = { sources, lines: readLines(map.mappings) };
    writeFileSync(join(folder, tableOf(program)), JSON.stringify(table));
    rmSync(join(folder, name));
    const code = readFileSync(join(folder, program), 'utf8');
    writeFileSync(join(folder, program), code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  }
}

/** Reads the first mapping of each line. Each position is stored as the difference to the previous mapping, across lines. */
function readLines(mappings: string): (readonly [number, number] | null)[] {
  let source = 0;
  let line = 0;
  return mappings.split(';').map((segments) => {
    let first: readonly [number, number] | null = null;
    for (const segment of segments === '' ? [] : segments.split(',')) {
      const [, toSource, toLine] = decodeNumbers(segment);
      if (toSource === undefined || toLine === undefined) continue;
      source += toSource;
      line += toLine;
      first ??= [source, line + 1];
    }
    return first;
  });
}

const DIGITS = new Map([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((digit, value) => [digit, value]));

/** Decodes Base64 VLQ: five bits per digit, lowest first; the lowest bit of a number is its sign. */
function decodeNumbers(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of segment) {
    const digit = DIGITS.get(character) ?? 0;
    value += (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push((value & 1) === 0 ? value >> 1 : -(value >> 1));
    value = 0;
    shift = 0;
  }
  return numbers;
}
