import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isProcessAlive } from '../../packages/server/src/local-postgres/is-process-alive.ts';
import { runShard, type TestFileRun } from './run-shard.ts';

const scratch = mkdtempSync(join(tmpdir(), 'market-run-test-file-'));
after(() => rmSync(scratch, { recursive: true }));

let count = 0;

const NOTHING: TestFileRun = { file: '', passed: 0, failed: 0, skipped: 0, seconds: 0, processorSeconds: 0, failures: [], cutOff: false };

async function run(source: string, options: { timeoutSeconds?: number; signal?: AbortSignal } = {}): Promise<TestFileRun> {
  count += 1;
  const reportFolder = join(scratch, String(count));
  mkdirSync(reportFolder);
  const file = join(reportFolder, 'sample.test.mjs');
  writeFileSync(
    file,
    `import test from 'node:test';\nimport { spawn } from 'node:child_process';\nimport { writeFileSync } from 'node:fs';\n${source}`,
  );
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const [result] = await runShard({
    files: [file],
    reportFolder,
    environment,
    timeoutSeconds: 20,
    signal: new AbortController().signal,
    ...options,
  });
  assert.ok(result);
  return result;
}

function titles(result: TestFileRun): string[] {
  return result.failures.map((failure) => failure.title);
}

test('a shard counts passed, failed and skipped tests, and reports each failure once with its full error', async () => {
  const result = await run(`
    test('good', () => {});
    test('left out', { skip: true }, () => {});
    test('outer', async (t) => { await t.test('inner', () => { throw new Error('broken', { cause: new Error('deeper') }); }); });
    console.log('printed by the file');
  `);
  assert.deepEqual({ passed: result.passed, failed: result.failed, skipped: result.skipped }, { passed: 1, failed: 2, skipped: 1 });
  assert.deepEqual(titles(result), ['outer > inner']);
  assert.match(result.failures[0]?.error ?? '', /Error: broken[\s\S]*sample\.test\.mjs[\s\S]*deeper[\s\S]*printed by the file/);
});

test('a skipped suite counts as one skipped test', async () => {
  const result = await run(
    "test.suite('left out', { skip: 'a reason' }, () => { test('never runs', () => { throw new Error('ran'); }); });",
  );
  assert.deepEqual({ ...result, file: '', seconds: 0, processorSeconds: 0 }, { ...NOTHING, skipped: 1 });
});

test('a test file that passes is reported without failures', async () => {
  const result = await run("test('good', () => {}); test('also good', () => {});");
  assert.deepEqual({ passed: result.passed, failed: result.failed, failures: result.failures }, { passed: 2, failed: 0, failures: [] });
});

test('a test file that runs no test, crashes, exits early, or fails outside its tests counts as failed', async () => {
  const sources = {
    'without tests': '',
    'does not load': "import './missing.mjs';",
    killed: "test('q', () => process.kill(process.pid, 'SIGKILL'));",
    'exits early with success': "test('q', async () => { await null; process.exit(0); });",
    'error after the end of a test': "test('q', () => { setTimeout(() => { throw new Error('late'); }, 10); });",
    'error in the last hook': "test('q', () => {}); test.after(() => { throw new Error('hook'); });",
    'exit code of its own': "test('q', () => {}); process.exitCode = 3; process.on('exit', () => { process.exitCode = 3; });",
  };
  for (const [what, source] of Object.entries(sources)) {
    const result = await run(source);
    assert.equal(result.failed, 1, what);
    assert.equal(result.failures.length, 1, what);
  }
});

test('a failure in one file of a shard is reported with that file only', async () => {
  const runs = await runTogether({ bad: "test('bad', () => { throw new Error('broken'); });", good: "test('good', () => {});" });
  assert.deepEqual(
    runs.map(({ passed, failed, cutOff }) => [passed, failed, cutOff]),
    [
      [0, 1, false],
      [1, 0, false],
    ],
  );
});

test('a hanging test file and files after it in the shard are marked as cut off', async () => {
  const hangs = "test('hangs', () => new Promise((done) => setTimeout(done, 60_000)));";
  const runs = await runTogether({ first: "test('good', () => {});", hangs, last: "test('good', () => {});" }, 4);
  assert.deepEqual(
    runs.map(({ passed, cutOff }) => [passed, cutOff]),
    [
      [1, false],
      [0, true],
      [0, true],
    ],
  );
});

async function runTogether(sources: Record<string, string>, timeoutSeconds = 20): Promise<TestFileRun[]> {
  const reportFolder = mkdtempSync(join(scratch, 'together-'));
  const files = Object.entries(sources).map(([name, source]) => {
    const file = join(reportFolder, `${name}.test.mjs`);
    writeFileSync(file, `import test from 'node:test';\n${source}`);
    return file;
  });
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  return await runShard({ files, reportFolder, environment, timeoutSeconds, signal: new AbortController().signal });
}

test('a test file that exceeds its time is ended together with the programs that it started', async () => {
  const pidFile = join(scratch, 'pid');
  const source = `test('q', () => { const c = spawn('sleep', ['60'], { stdio: 'inherit' }); writeFileSync(${JSON.stringify(pidFile)}, String(c.pid)); });`;
  const result = await run(source, { timeoutSeconds: 2 });
  assert.equal(result.failed, 1);
  assert.match(result.failures[0]?.error ?? '', /did not end within 2 s/);
  assert.equal(isProcessAlive(Number(readFileSync(pidFile, 'utf8'))), false);
});

test('an interruption ends the running test file', async () => {
  const interruption = new AbortController();
  setTimeout(() => interruption.abort(), 500);
  const result = await run("test('q', () => new Promise((done) => setTimeout(done, 15_000)));", { signal: interruption.signal });
  assert.ok(result.seconds < 10);
  assert.equal(result.failed, 1);
});
