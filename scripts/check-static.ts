/** Everything that can be checked without running the service: types, lint and format, directions, dead code. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

// One checker per project: several check the same types again, which costs twice the processor time on two cores.
const checks: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'types', command: ['tsc', '-p', '.', '--checkers', '1'] },
  { name: 'types of the site', command: ['tsc', '-p', 'packages/web', '--checkers', '1'] },
  { name: 'lint and format', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'import directions', command: ['node', 'scripts/check-directions.ts'] },
  { name: 'dependencies', command: ['node', 'scripts/check-dependencies.ts'] },
  { name: 'dead code', command: ['knip'] },
  { name: 'threat table', command: ['node', 'scripts/threats.ts'] },
  { name: 'generated files', command: ['node', 'scripts/generate.ts', '--check'] },
];

const failed = checks.filter(({ name, command }) => {
  const started = performance.now();
  const [program = '', ...args] = command;
  const run = spawnSync(join(ROOT, 'node_modules', '.bin', program), args, { cwd: ROOT, encoding: 'utf8' });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${run.status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (run.status !== 0) console.log(`${run.stdout}${run.stderr}`.trimEnd());
  return run.status !== 0;
});

if (failed.length > 0) {
  console.log(`${failed.length} of ${checks.length} static checks failed: ${failed.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}
