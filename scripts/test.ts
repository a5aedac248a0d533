// `npm test`: one PostgreSQL for the whole run, test files in shards of one process each, longest first;
// files that measure time (`*.alone.test.ts`) run last, one at a time.
// The last line is `N passed, N failed`.
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { type NetworkName, networkNames } from '@market/contract';
import { openSandboxChains } from '@market/sandbox/chains';
import { localNetworks } from '../packages/server/src/boot/local-networks.ts';
import { startEmbeddedPostgres } from '../packages/server/src/local-postgres/embedded-postgres.ts';
import { buildSite } from '../packages/web/src/build/build-site.ts';
import { prepareTemplate, tuneForOneRun } from '../test/harness/database.ts';
import { THOROUGH } from '../test/harness/thoroughness.ts';
import { bundleModules } from './testing/bundle-modules.ts';
import { bundlePrograms } from './testing/bundle-programs.ts';
import { findChangedTests, readProject } from './testing/changed-tests.ts';
import { installMissingPrograms } from './testing/debian-programs.ts';
import { findMemoryFolder, prefixOfRun, removeAbandoned } from './testing/memory-folder.ts';
import { planShards, type Shard, shuffleShards, type Timings } from './testing/plan-shards.ts';
import { readEndedSeconds } from './testing/processor-time.ts';
import { runShard, type TestFileRun } from './testing/run-shard.ts';
import { maySucceedLater } from './testing/second-tries.ts';
import { TURNS, takeTurns } from './testing/take-turns.ts';
import { TEST_FILES } from './testing/test-files.ts';
import { readTestOptions, TEST_USAGE, type TestOptions } from './testing/test-options.ts';

const ROOT = join(import.meta.dirname, '..');
const TIMINGS = join(import.meta.dirname, 'testing', 'timings.json');
// Tests wait almost half of their time for timers, blocks and answers, so two processes more than cores keep all cores busy.
const CONCURRENCY = Math.max(2, availableParallelism()) + 2;
const FILE_TIMEOUT_SECONDS = 600;
/** Minimum number of processes for which bundling pays: it takes 5 s of processor time and saves each process more than 1 s. */
const WORTH_BUNDLING = 6;
const SLOWEST_SHOWN = 10;
const TEMPLATE = 'market_template';
const MOST_SECOND_TRIES = 8;

type Run = TestFileRun & { readonly unsteady?: boolean };

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());

process.exitCode = await main();

async function main(): Promise<number> {
  let options: TestOptions;
  try {
    options = readTestOptions(process.argv.slice(2));
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : error}\n\n${TEST_USAGE}`);
    return 2;
  }
  const files = options.changedSince === undefined ? findTestFiles(options.paths) : findReached(options.changedSince);
  if (files === undefined) return 2;
  const isEveryday = !options.thorough && options.paths.length === 0 && options.changedSince === undefined;
  return await runAll(isEveryday ? inTurn(files, options.turn) : files, options);
}

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

function inTurn(files: readonly string[], turn: number): string[] {
  const names = files.map((file) => relative(ROOT, file));
  const chosen = takeTurns(names, readTimings('everyday'), turn);
  console.log(`Turn ${turn + 1} of ${TURNS}: ${chosen.waiting} long files wait for theirs (--turn takes another, --thorough runs all).`);
  return chosen.files.map((file) => join(ROOT, file));
}

/** Test files that changes since a commit can reach, untracked files included. */
function findReached(since: string): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
  const changed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];
  const reached = findChangedTests(readProject(ROOT), changed);
  console.log(`${changed.length} files changed since ${since}; ${reached.length} test files reach them.`);
  return reached.map((file) => join(ROOT, file));
}

async function runAll(files: readonly string[], options: TestOptions): Promise<number> {
  const startedAt = performance.now();
  const scratch = makeScratch(tmpdir());
  const memory = makeScratch(findMemoryFolder() ?? tmpdir());
  try {
    await buildSite((message) => console.log(message));
    installMissingPrograms(
      files.map((file) => relative(ROOT, file)),
      (message) => console.log(message),
    );
    const bundle = join(scratch, 'bundle');
    await bundlePrograms(bundle);
    const shards = plan(files, options);
    const thoroughness = { [THOROUGH]: options.thorough ? '1' : '' };
    if (shards.length >= WORTH_BUNDLING) await bundleModules(bundle);
    const runs = await withPostgres(join(memory, 'data'), (database) =>
      withChains(join(scratch, 'chains'), (chains) =>
        runTwice(shards, scratch, { ...database, ...chains, ...thoroughness, TEST_BUNDLE: bundle }, options),
      ),
    );
    if (options.storeTimings) storeTimings(runs, kindOf(options.thorough));
    if (options.thorough) nameSkipped(runs);
    return summarise(runs, (performance.now() - startedAt) / 1000);
  } catch (error) {
    console.log('The test run could not be carried out:', error);
    console.log(describeCounts(0, 1, 0));
    return 1;
  } finally {
    for (const folder of [scratch, memory]) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function makeScratch(parent: string): string {
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, prefixOfRun()));
  chmodSync(folder, 0o755);
  return folder;
}

async function withPostgres<T>(dataDir: string, work: (environment: Record<string, string>) => Promise<T>): Promise<T> {
  const server = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  try {
    const { host, port, user } = server.connection;
    await tuneForOneRun(server.connection);
    await prepareTemplate(server.connection, TEMPLATE);
    return await work({ TEST_PG_HOST: host, TEST_PG_PORT: String(port), TEST_PG_USER: user, TEST_PG_TEMPLATE: TEMPLATE });
  } finally {
    await server.stop();
  }
}

/** Starts the chains that markets of all files share; each market has its own treasury, sponsor and wallets. */
async function withChains<T>(folder: string, work: (environment: Record<string, string>) => Promise<T>): Promise<T> {
  const networks = localNetworks(Object.fromEntries(networkNames.map((name) => [name, 0])) as Record<NetworkName, number>);
  const chains = await openSandboxChains({ folder, networks, fast: true, steady: true, log: (message) => console.log(message) });
  try {
    return await work({ TEST_CHAINS: folder });
  } finally {
    await chains.close();
  }
}

function plan(files: readonly string[], { seed, thorough }: TestOptions): Shard[] {
  const names = files.map((file) => relative(ROOT, file));
  const shards = planShards(names, { timings: readTimings(kindOf(thorough)), read: (file) => readFileSync(join(ROOT, file), 'utf8') });
  if (seed === undefined) return shards;
  console.log(`Shuffled with --seed ${seed}`);
  return shuffleShards(shards, seed);
}

/**
 * Runs a failed file once more by itself, because on a busy machine it may fail because of others. If it passes, it is named as unsteady
 * at the end, with its failure above. Many failures stay failures, and so does any failure of tests of money, crashes or attacks.
 * Files that a hanging file cut off run again, too.
 */
async function runTwice(shards: readonly Shard[], scratch: string, prepared: Record<string, string>, options: TestOptions): Promise<Run[]> {
  const runs = await runShards(shards, scratch, prepared, 'first');
  const broken = runs.filter(({ failures }) => failures.length > 0);
  const culprits = broken.filter(({ cutOff }) => !cutOff);
  if (!options.secondTry || broken.length === 0 || culprits.length > MOST_SECOND_TRIES || interruption.signal.aborted) return runs;
  const repeated = broken.filter(({ file, cutOff }) => cutOff || maySucceedLater(relative(ROOT, file)));
  if (repeated.length === 0) return runs;
  console.log('\nOnce more, by itself:');
  const again = repeated.map(({ file, seconds }) => ({ files: [relative(ROOT, file)], seconds, alone: true }));
  const second = await runShards(again, scratch, prepared, 'second');
  const passed = second.filter(({ failures }) => failures.length === 0);
  const unsteady = new Map(passed.map((run) => [run.file, { ...run, unsteady: true }]));
  return runs.map((run) => unsteady.get(run.file) ?? run);
}

async function runShards(
  shards: readonly Shard[],
  scratch: string,
  prepared: Record<string, string>,
  attempt: string,
): Promise<TestFileRun[]> {
  // The files' temporary folders are removed with ours. NODE_TEST_CONTEXT would silence the reporter if a test starts this program.
  const temporary = join(scratch, 'tmp');
  mkdirSync(temporary, { recursive: true });
  chmodSync(temporary, 0o1777);
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  // A hundred processes load the same modules, so they share the compile cache.
  const environment = { ...inherited, ...prepared, TMPDIR: temporary, NODE_COMPILE_CACHE: join(temporary, 'compiled') };
  const runs: TestFileRun[] = [];
  const worker = async (queue: [number, Shard][]) => {
    for (let next = queue.shift(); next !== undefined && !interruption.signal.aborted; next = queue.shift()) {
      const [number, shard] = next;
      const reportFolder = join(scratch, `report-${attempt}-${number}`);
      mkdirSync(reportFolder);
      const done = await runShard({
        files: shard.files.map((file) => join(ROOT, file)),
        reportFolder,
        environment,
        timeoutSeconds: FILE_TIMEOUT_SECONDS,
        signal: interruption.signal,
      });
      for (const run of done) {
        runs.push(run);
        console.log(describeRun(run));
        for (const failure of run.failures) console.log(describeFailure(run, failure));
      }
    }
  };
  const numbered = [...shards.entries()];
  const together = numbered.filter(([, shard]) => !shard.alone);
  await Promise.all(Array.from({ length: CONCURRENCY }, () => worker(together)));
  await worker(numbered.filter(([, shard]) => shard.alone));
  return runs;
}

type RunKind = 'everyday' | 'thorough';

function kindOf(thorough: boolean): RunKind {
  return thorough ? 'thorough' : 'everyday';
}

function readTimings(kind: RunKind): Timings {
  return readAllTimings()[kind];
}

function readAllTimings(): Record<RunKind, Timings> {
  const none = { everyday: {}, thorough: {} };
  return statSync(TIMINGS, { throwIfNoEntry: false }) === undefined ? none : { ...none, ...JSON.parse(readFileSync(TIMINGS, 'utf8')) };
}

/** Stores timings in whole seconds, so that small changes do not show in the git history. */
function storeTimings(runs: readonly TestFileRun[], kind: RunKind): void {
  const all = readAllTimings();
  const stored = { ...all[kind], ...Object.fromEntries(runs.map(({ file, seconds }) => [relative(ROOT, file), Math.ceil(seconds)])) };
  const present = Object.entries(stored).filter(([file]) => statSync(join(ROOT, file), { throwIfNoEntry: false }) !== undefined);
  writeFileSync(TIMINGS, `${JSON.stringify({ ...all, [kind]: Object.fromEntries(present.sort()) }, null, 2)}\n`);
}

function describeRun({ file, passed, failed, skipped, seconds, processorSeconds, failures }: TestFileRun): string {
  const mark = failures.length === 0 ? 'ok  ' : 'FAIL';
  const cost = `${seconds.toFixed(1)} s, processor ${processorSeconds.toFixed(1)} s`;
  return `${mark} ${relative(ROOT, file)}  ${describeCounts(passed, failed, skipped)}  ${cost}`;
}

function describeFailure({ file }: TestFileRun, { title, error }: TestFileRun['failures'][number]): string {
  return `\n  ${relative(ROOT, file)}: ${title}\n${error.replace(/^/gm, '    ')}\n`;
}

function describeCounts(passed: number, failed: number, skipped: number): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Names skipped files: a thorough run skips only tests for which the machine lacks a program. */
function nameSkipped(runs: readonly Run[]): void {
  const skipped = runs.filter((run) => run.skipped > 0).map((run) => `  ${describeRun(run)}`);
  if (skipped.length > 0) console.log(`\nSkipped on this machine:\n${skipped.join('\n')}`);
}

function summarise(runs: readonly Run[], seconds: number): number {
  const broken = runs.filter((run) => run.failures.length > 0);
  if (broken.length > 0) console.log('\nFailures:');
  for (const run of broken) {
    for (const failure of run.failures) console.log(describeFailure(run, failure));
  }
  const unsteady = runs.filter((run) => run.unsteady === true).map(({ file }) => `  ${relative(ROOT, file)}`);
  if (unsteady.length > 0) console.log(`\nUnsteady (failed, then passed by itself; mend these):\n${unsteady.join('\n')}`);
  const slowest = runs.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  const costliest = runs.toSorted((a, b) => b.processorSeconds - a.processorSeconds).slice(0, SLOWEST_SHOWN);
  for (const [title, shown] of Object.entries({ Slowest: slowest, 'Most processor time': costliest }))
    if (runs.length > SLOWEST_SHOWN) console.log(`\n${title}:\n${shown.map((run) => `  ${describeRun(run)}`).join('\n')}`);
  const sum = (count: 'passed' | 'failed' | 'skipped') => runs.reduce((total, run) => total + run[count], 0);
  if (runs.length === 0) console.log('No test files found.');
  const processor = readEndedSeconds();
  const cost = processor === undefined ? '' : `, ${(processor + process.cpuUsage().user / 1e6).toFixed(0)} s of processor time`;
  console.log(`\n${runs.length} files in ${seconds.toFixed(1)} s${cost}${interruption.signal.aborted ? ', interrupted' : ''}`);
  console.log(describeCounts(sum('passed'), sum('failed'), sum('skipped')));
  if (interruption.signal.aborted) return 130;
  return broken.length > 0 || runs.length === 0 ? 1 : 0;
}
