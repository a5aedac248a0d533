/** `npm run bench -- <name>…` runs benchmarks by name, all of them without one. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SHARED = new Set(['load']);
const known = globSync('bench/*.ts', { cwd: ROOT })
  .map((file) => basename(file, '.ts'))
  .filter((name) => !SHARED.has(name))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No benchmark is called ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : known) {
  const run = spawnSync(process.execPath, [join(ROOT, 'bench', `${name}.ts`)], { cwd: ROOT, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
