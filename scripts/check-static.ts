/** Runs the static checks: types, lint and format, directions, dead code. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Use one checker per project: several would check the same types again, which doubles the processor time on two cores. */
const typesOf = (project: string): readonly string[] => ['tsc', '-p', project, '--checkers', '1'];

/** The compiler uses 2.4 GB in any case. Collecting garbage before 3 GiB took a third of its processor time and freed little. */
const COMPILER_MEMORY = { GOGC: 'off', GOMEMLIMIT: '3GiB' };

const checks: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  // Comes first, because the other projects read the declarations that it writes.
  { name: 'types of the contract', command: typesOf('packages/contract') },
  { name: 'types', command: typesOf('.') },
  { name: 'types of the site', command: typesOf('packages/web') },
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
  const env = { ...COMPILER_MEMORY, ...process.env };
  const run = spawnSync(join(ROOT, 'node_modules', '.bin', program), args, { cwd: ROOT, env, encoding: 'utf8' });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${run.status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (run.status !== 0) console.log(`${run.stdout}${run.stderr}`.trimEnd());
  return run.status !== 0;
});

if (failed.length > 0) {
  console.log(`${failed.length} of ${checks.length} static checks failed: ${failed.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}
