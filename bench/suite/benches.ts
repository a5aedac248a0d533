/** Finds the benchmarks: every file of `bench/` that declares its rows. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Bench } from './bench.ts';

const FOLDER = join(import.meta.dirname, '..');
const NO_BENCH = new Set(['load']);

export interface FoundBench {
  readonly name: string;
  readonly file: string;
  /** False for a program that measures as soon as it is imported, and only prints. */
  readonly hasRows: boolean;
}

export function findBenches(): FoundBench[] {
  return globSync('*.ts', { cwd: FOLDER })
    .map((file) => ({ name: basename(file, '.ts'), file: join(FOLDER, file) }))
    .filter(({ name }) => !NO_BENCH.has(name))
    .map(({ name, file }) => ({ name, file, hasRows: readFileSync(file, 'utf8').includes('export default defineBench(') }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

export async function importBench({ name, file, hasRows }: FoundBench): Promise<Bench> {
  if (!hasRows) throw new Error(`bench/${name}.ts declares no rows: export default defineBench({ … })`);
  return ((await import(pathToFileURL(file).href)) as { default: Bench }).default;
}
