/**
 * `npm run bench -- <name>…` runs benchmarks by name, or all of them, each in its own process. It prints one table, writes the
 * figures as JSON, and exits with 1 when a bound is missed. `--smoke` runs them small without bounds; `--accept` stores the figures that
 * the next table shows as "last time".
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBenches } from '../bench/suite/benches.ts';
import type { JudgedRow } from '../bench/suite/run-bench.ts';
import { type Accepted, describeMisses, describeRows, judgedOf } from '../bench/suite/table.ts';

const ROOT = join(import.meta.dirname, '..');
const ACCEPTED = join(ROOT, 'bench', 'accepted.json');
const ARTIFACTS = join(ROOT, '.artifacts', 'bench');
const RUN_ONE = join(ROOT, 'bench', 'suite', 'run-one.ts');

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: 'boolean', default: false }, accept: { type: 'boolean', default: false } },
});
const known = findBenches();
const unknown = wanted.filter((name) => !known.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`No benchmark is called ${unknown.join(', ')}. There are: ${known.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'market-bench-'));
const rows: JudgedRow[] = [];
const broken: string[] = [];
for (const { name, file, hasRows } of known) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(name);
  const report = join(scratch, `${name}.json`);
  const command = hasRows ? [RUN_ONE, name, report, ...(values.smoke ? ['--smoke'] : [])] : [file];
  const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit' });
  if (existsSync(report)) rows.push(...(JSON.parse(readFileSync(report, 'utf8')) as JudgedRow[]));
  if (status !== 0) broken.push(name);
}
rmSync(scratch, { recursive: true });

const accepted: Accepted = existsSync(ACCEPTED) ? JSON.parse(readFileSync(ACCEPTED, 'utf8')) : {};
console.log(`\n${describeRows(rows, accepted)}`);
mkdirSync(ARTIFACTS, { recursive: true });
const written = join(ARTIFACTS, `${new Date().toISOString().replaceAll(/[:.]/g, '-')}${values.smoke ? '-smoke' : ''}.json`);
writeFileSync(written, `${JSON.stringify({ smoke: values.smoke, node: process.version, rows }, null, 2)}\n`);
console.log(`\nfigures in ${written}`);
if (values.accept && !values.smoke) {
  const figures = { ...accepted, ...Object.fromEntries(rows.map((row) => [row.path, Number(judgedOf(row).toPrecision(3))])) };
  writeFileSync(ACCEPTED, `${JSON.stringify(Object.fromEntries(Object.entries(figures).sort()), null, 2)}\n`);
}
for (const line of describeMisses(rows)) console.error(line);
for (const name of broken) console.error(`broken: ${name} did not run to its end`);
process.exitCode = broken.length > 0 || rows.some(({ holds }) => holds === false) ? 1 : 0;
