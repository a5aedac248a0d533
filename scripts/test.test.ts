import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from '../packages/server/src/local-postgres/is-process-alive.ts';
import { isThorough, THOROUGH_ONLY } from '../test/harness/thoroughness.ts';
import { findMemoryFolder, prefixOfRun } from './testing/memory-folder.ts';

const scratch = mkdtempSync(join(tmpdir(), 'market-test-test-'));
// PostgreSQL's account must be able to read the folder; otherwise its programs are copied elsewhere.
chmodSync(scratch, 0o755);
after(() => rmSync(scratch, { recursive: true }));

interface Run {
  readonly process: ChildProcess;
  readonly folder: string;
  /** TMPDIR of the run, which must be empty again after it. */
  readonly temporary: string;
  readonly end: Promise<{ code: number | null; lines: string[] }>;
}

function startRun(name: string, files: Record<string, string>): Run {
  const folder = join(scratch, name);
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  for (const [file, source] of Object.entries(files)) writeFileSync(join(folder, file), source);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'test.ts'), folder], { env: { ...process.env, TMPDIR: temporary } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const end = once(child, 'close').then(([code]) => ({ code, lines: output.trimEnd().split('\n') }));
  return { process: child, folder, temporary, end };
}

/** Files that a run left in its temporary folder or in memory. */
function leftBy({ process: { pid }, temporary }: ReturnType<typeof startRun>): string[] {
  const inMemory = globSync(join(findMemoryFolder() ?? temporary, `${prefixOfRun(pid)}*`));
  return [...new Set([...inMemory, ...readdirSync(temporary).map((name) => join(temporary, name))])];
}

const usesDatabase = `
  import assert from 'node:assert/strict';
  import test from 'node:test';
  import pg from ${JSON.stringify(import.meta.resolve('pg'))};
  import { createTestDatabase } from ${JSON.stringify(import.meta.resolve('../test/harness/database.ts'))};
  test('has a database of its own on the server of the run', async () => {
    assert.ok(process.env.TEST_PG_HOST);
    const database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query('SELECT current_database() AS name');
    assert.equal(rows[0].name, database.connection.database);
    await client.end();
    await database.drop();
  });
`;

const noteTimes =
  "import test from 'node:test'; import fs from 'node:fs'; test('notes when it ran', async () => {\n" +
  '  const from = Date.now(); await new Promise((done) => setTimeout(done, 300));\n' +
  "  fs.writeFileSync(import.meta.filename + '.times', JSON.stringify([from, Date.now()])); });";
const failsOnce =
  "import test from 'node:test'; import fs from 'node:fs'; test('comes second', () => {\n" +
  "  const seen = import.meta.filename + '.seen'; if (!fs.existsSync(seen)) { fs.writeFileSync(seen, ''); throw new Error('too early'); } });";
const timed = ['a.alone.test.ts', 'b.alone.test.ts', 'c.test.ts', 'd.test.ts'];

suite('a run that passes', () => {
  let run: Run;
  let code: number | null;
  let lines: string[];
  before(async () => {
    const files = { 'a.test.ts': usesDatabase, 'b.test.ts': usesDatabase, 'unsteady.test.ts': failsOnce };
    run = startRun('good', { ...files, ...Object.fromEntries(timed.map((name) => [name, noteTimes])) });
    ({ code, lines } = await run.end);
  });

  test('a passing test run gives its files a database, ends with the count, and leaves no files or processes', () => {
    assert.equal(lines.at(-1), '7 passed, 0 failed', lines.join('\n'));
    assert.equal(code, 0);
    assert.equal(
      lines.filter((line) => /^ok {3}.*good\/[ab]\.test\.ts {2}1 passed, 0 failed {2}\d+\.\d s, processor \d+\.\d s$/.test(line)).length,
      2,
    );
    assert.deepEqual(leftBy(run), []);
  });

  test('a test run runs files that measure time last and alone', () => {
    const [a, b, c, d] = timed.map((name): [number, number] => JSON.parse(readFileSync(join(run.folder, `${name}.times`), 'utf8')));
    assert.ok(a && b && c && d);
    assert.ok(Math.max(c[1], d[1]) <= a[0] && a[1] <= b[0], JSON.stringify({ a, b, c, d }));
  });

  test('a test run repeats a failed file alone, and reports it as unsteady if it passes', () => {
    assert.ok(lines.some((line) => line.includes('Error: too early')));
    assert.match(lines.join('\n'), /Unsteady \(.*\):\n.*unsteady\.test\.ts/);
  });
});

test('a test file that fails twice is reported each time and again at the end, and fails the run', {
  skip: !isThorough && THOROUGH_ONLY,
}, async () => {
  const broken = "import test from 'node:test'; test('promises much', () => { throw new Error('keeps little'); });";
  const { code, lines } = await startRun('bad', { 'a.test.ts': broken }).end;
  assert.equal(code, 1);
  assert.equal(lines.at(-1), '0 passed, 1 failed');
  assert.equal(lines.filter((line) => line.includes('a.test.ts: promises much')).length, 3);
  assert.equal(lines.filter((line) => line.includes('Error: keeps little')).length, 3);
});

test('Ctrl-C ends the test files and PostgreSQL and removes the temporary folder', { skip: !isThorough && THOROUGH_ONLY }, async () => {
  const slow =
    "import test from 'node:test'; import fs from 'node:fs'; test('slow', async () => {\n" +
    "  fs.writeFileSync(new URL('./begun', import.meta.url), ''); await new Promise((done) => setTimeout(done, 15_000)); });";
  const run = startRun('slow', { 'a.test.ts': slow });
  for (const deadline = Date.now() + 30_000; !existsSync(join(run.folder, 'begun')) && Date.now() < deadline; ) await sleep(50);
  const [pidFile = ''] = leftBy(run).flatMap((folder) => globSync(join(folder, 'data/postgres/data/postmaster.pid')));
  const server = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  run.process.kill('SIGINT');
  assert.equal((await run.end).code, 130);
  assert.equal(isProcessAlive(server), false);
  assert.deepEqual(leftBy(run), []);
});
