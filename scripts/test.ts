// `npm test`: one PostgreSQL for the whole run, every test file in a process of its own, two at a time; files that measure
// time (`*.alone.test.ts`) come last and have the machine to themselves.
// Arguments narrow it to files or folders. The last line is `N passed, N failed`.
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { startEmbeddedPostgres } from '../packages/server/src/platform/postgres/embedded-postgres.ts';
import { buildSite } from '../packages/web/src/build/build-site.ts';
import { prepareTemplate } from '../test/harness/database.ts';
import { ensureChromium } from './ensure-chromium.ts';
import { ensurePgbouncer } from './ensure-pgbouncer.ts';
import { runTestFile, type TestFileRun } from './run-test-file.ts';
import { TEST_FILES } from './test-files.ts';

const ROOT = join(import.meta.dirname, '..');
const BROWSER_TESTS = join(ROOT, 'test/browser/');
const POOLER_TESTS = join(ROOT, 'test/foreign/pgbouncer');
const CONCURRENCY = 2;
const MEASURES_TIME = /\.alone\.test\.ts$/;
const FILE_TIMEOUT_SECONDS = 600;
const TEMPLATE = 'market_template';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());

const files = findTestFiles(process.argv.slice(2));
process.exitCode = files === undefined ? 2 : await runAll(files);

function findTestFiles(wanted: readonly string[]): string[] | undefined {
  if (wanted.length === 0)
    return TEST_FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
      .map((file) => join(ROOT, file))
      .sort();
  const missing = wanted.find((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
  if (missing !== undefined) {
    console.log(`${missing} does not exist. Give test files or folders, or nothing for all tests.`);
    return undefined;
  }
  return wanted
    .flatMap((path) => (statSync(path).isDirectory() ? globSync(join(path, '**/*.test.ts')).sort() : [path]))
    .map((path) => resolve(path));
}

async function runAll(files: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const scratch = mkdtempSync(join(tmpdir(), 'market-test-run-'));
  chmodSync(scratch, 0o755);
  try {
    await buildSite((message) => console.log(message));
    // Without them the tests that need them fail and say so themselves; the others can run.
    if (files.some((file) => file.startsWith(BROWSER_TESTS))) ensureChromium((message) => console.log(message));
    if (files.some((file) => file.startsWith(POOLER_TESTS))) ensurePgbouncer((message) => console.log(message));
    const runs = await withPostgres(join(scratch, 'data'), (environment) => runFiles(files, scratch, environment));
    return summarise(runs, (performance.now() - startedAt) / 1000);
  } catch (error) {
    console.log('The test run could not be carried out:', error);
    console.log(describeCounts(0, 1, 0));
    return 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function withPostgres<T>(dataDir: string, work: (environment: Record<string, string>) => Promise<T>): Promise<T> {
  const server = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  try {
    const { host, port, user } = server.connection;
    await prepareTemplate(server.connection, TEMPLATE);
    return await work({ TEST_PG_HOST: host, TEST_PG_PORT: String(port), TEST_PG_USER: user, TEST_PG_TEMPLATE: TEMPLATE });
  } finally {
    await server.stop();
  }
}

async function runFiles(files: readonly string[], scratch: string, database: Record<string, string>): Promise<TestFileRun[]> {
  // The files' temporary folders go away with ours. NODE_TEST_CONTEXT would silence the reporter when a test starts us.
  const temporary = join(scratch, 'tmp');
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  // A few hundred processes load the same modules: what one has compiled, the others need not compile again.
  const environment = { ...inherited, ...database, TMPDIR: temporary, NODE_COMPILE_CACHE: join(temporary, 'compiled') };
  const runs: TestFileRun[] = [];
  const worker = async (queue: [number, string][]) => {
    for (let next = queue.shift(); next !== undefined && !interruption.signal.aborted; next = queue.shift()) {
      const reportFolder = join(scratch, `report-${next[0]}`);
      mkdirSync(reportFolder);
      const run = await runTestFile({
        file: next[1],
        reportFolder,
        environment,
        timeoutSeconds: FILE_TIMEOUT_SECONDS,
        signal: interruption.signal,
      });
      runs.push(run);
      console.log(describeRun(run));
      for (const failure of run.failures) console.log(describeFailure(run, failure));
    }
  };
  const numbered = [...files.entries()];
  const together = numbered.filter(([, file]) => !MEASURES_TIME.test(file));
  await Promise.all(Array.from({ length: CONCURRENCY }, () => worker(together)));
  await worker(numbered.filter(([, file]) => MEASURES_TIME.test(file)));
  return runs;
}

function describeRun({ file, passed, failed, skipped, seconds, failures }: TestFileRun): string {
  const mark = failures.length === 0 ? 'ok  ' : 'FAIL';
  return `${mark} ${relative(ROOT, file)}  ${describeCounts(passed, failed, skipped)}  ${seconds.toFixed(1)} s`;
}

function describeFailure({ file }: TestFileRun, { title, error }: TestFileRun['failures'][number]): string {
  return `\n  ${relative(ROOT, file)}: ${title}\n${error.replace(/^/gm, '    ')}\n`;
}

function describeCounts(passed: number, failed: number, skipped: number): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function summarise(runs: readonly TestFileRun[], seconds: number): number {
  const broken = runs.filter((run) => run.failures.length > 0);
  if (broken.length > 0) console.log('\nFailures:');
  for (const run of broken) {
    for (const failure of run.failures) console.log(describeFailure(run, failure));
  }
  const sum = (count: 'passed' | 'failed' | 'skipped') => runs.reduce((total, run) => total + run[count], 0);
  if (runs.length === 0) console.log('No test files found.');
  console.log(`\n${runs.length} files in ${seconds.toFixed(1)} s${interruption.signal.aborted ? ', interrupted' : ''}`);
  console.log(describeCounts(sum('passed'), sum('failed'), sum('skipped')));
  if (interruption.signal.aborted) return 130;
  return broken.length > 0 || runs.length === 0 ? 1 : 0;
}
