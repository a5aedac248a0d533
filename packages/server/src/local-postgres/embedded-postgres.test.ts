import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { some } from '../../../../test/harness/thoroughness.ts';
import { type EmbeddedPostgres, type PostgresConnection, startEmbeddedPostgres } from './embedded-postgres.ts';
import { isProcessAlive } from './is-process-alive.ts';

const scratch = mkdtempSync(join(tmpdir(), 'market-embedded-'));
chmodSync(scratch, 0o755);
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));

function start(dataDir: string, log: (message: string) => void = () => undefined): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir, log });
}

let made: Promise<string> | undefined;

/** A data folder with a copy of one cluster, which is cheaper than creating a cluster per test. */
async function copyCluster(name: string): Promise<string> {
  made ??= makeCluster();
  const dataDir = join(scratch, name);
  // PostgreSQL insists on owner and mode.
  execFileSync('cp', ['-a', await made, dataDir]);
  return dataDir;
}

async function makeCluster(): Promise<string> {
  const dataDir = join(scratch, 'made');
  await (await start(dataDir)).stop();
  return dataDir;
}

async function query(connection: PostgresConnection, sql: string): Promise<unknown[][]> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

interface Owner {
  readonly process: ChildProcess;
  readonly connection: PostgresConnection;
  readonly attached: boolean;
  readonly serverPid: number;
}

/** Another process that starts or joins the server and keeps it until the process is killed or told to stop. */
async function spawnOwner(dataDir: string): Promise<Owner> {
  const code = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve('./embedded-postgres.ts'))});
    const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: () => undefined });
    process.stdout.write(JSON.stringify({ connection: server.connection, attached: server.attached }) + '\\n');
    process.stdin.once('data', () => server.stop().then(() => process.exit(0)));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the owner ended'))),
  ]);
  return { process: child, ...JSON.parse(String(line)), serverPid: readPid(dataDir) };
}

function readPid(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10);
}

async function kill(owner: Owner): Promise<void> {
  owner.process.kill('SIGKILL');
  await once(owner.process, 'exit');
}

async function waitFor(what: string, condition: () => boolean, seconds = 8): Promise<void> {
  for (const deadline = Date.now() + seconds * 1000; !condition(); await sleep(25)) {
    assert.ok(Date.now() < deadline, `not within ${seconds} s: ${what}`);
  }
}

test('a first start creates a durable UTF-8 cluster, and stop() removes every trace of the running server', async () => {
  const dataDir = join(scratch, 'fresh, "odd" name');
  const messages: string[] = [];
  const server = await start(dataDir, (message) => messages.push(message));
  assert.equal(server.attached, false);
  assert.match(server.version, /^\d+\.\d+$/);
  assert.match(messages.join('\n'), /creating the database cluster/);
  const settings = [
    'fsync',
    'full_page_writes',
    'synchronous_commit',
    'data_checksums',
    'server_encoding',
    'listen_addresses',
    'shared_buffers',
  ];
  const rows = await query(server.connection, `SELECT ${settings.map((name) => `current_setting('${name}')`).join(', ')}`);
  assert.deepEqual(rows, [['on', 'on', 'on', 'on', 'UTF8', '', '64MB']]);
  const pid = readPid(dataDir);
  await server.stop();
  await server.stop();
  assert.equal(isProcessAlive(pid), false);
  assert.equal(existsSync(join(dataDir, 'postgres/data/postmaster.pid')), false);
});

test('a second process attaches to the running server, and the server stays until the last one stops', async () => {
  const dataDir = await copyCluster('shared');
  const first = await start(dataDir);
  const pid = readPid(dataDir);
  const second = await spawnOwner(dataDir);
  assert.equal(second.attached, true);
  assert.equal(second.serverPid, pid);
  const startedAt = Date.now();
  await first.stop();
  assert.ok(Date.now() - startedAt < 2000, 'stop() must not wait for a server that others use');
  assert.deepEqual(await query(second.connection, 'SELECT 1'), [[1]]);
  second.process.stdin?.write('stop\n');
  await once(second.process, 'exit');
  assert.equal(isProcessAlive(pid), false);
});

test('kill -9 of the only owner stops the server, and the next start finds the committed data', async () => {
  const dataDir = await copyCluster('killed');
  const owner = await spawnOwner(dataDir);
  await query(owner.connection, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (42)');
  await kill(owner);
  await waitFor('the server stops', () => !isProcessAlive(owner.serverPid));
  const next = await start(dataDir);
  assert.deepEqual(await query(next.connection, 'SELECT n FROM kept'), [[42]]);
  await next.stop();
});

test('kill -9 of one of two owners leaves the other with a working server', async () => {
  const dataDir = await copyCluster('two-owners');
  const starter = await spawnOwner(dataDir);
  const other = await spawnOwner(dataDir);
  await kill(starter);
  await sleep(1500);
  assert.equal(isProcessAlive(starter.serverPid), true);
  assert.deepEqual(await query(other.connection, 'SELECT 1'), [[1]]);
  await kill(other);
  await waitFor('the server stops', () => !isProcessAlive(starter.serverPid));
});

test('simultaneous first starts make one cluster and one server', async () => {
  const dataDir = join(scratch, 'race');
  const owners = await Promise.all([spawnOwner(dataDir), spawnOwner(dataDir), spawnOwner(dataDir)]);
  assert.equal(owners.filter((owner) => !owner.attached).length, 1);
  assert.equal(new Set(owners.map((owner) => owner.serverPid)).size, 1);
  // In a checkout that only root may enter, the programs are copied beside the data.
  const made = readdirSync(join(dataDir, 'postgres')).filter((name) => name !== 'native');
  assert.deepEqual(made.sort(), ['data', 'log', 'run']);
  for (const owner of owners) await kill(owner);
  await waitFor('the server stops', () => !isProcessAlive(owners[0]?.serverPid ?? 0));
});

test('starting while the previous owner stops always ends with a working server', async () => {
  const dataDir = await copyCluster('handover');
  let current = await start(dataDir);
  for (const round of some([...Array(12).keys()], 4)) {
    const leaving = current.stop();
    await sleep(round * 3);
    current = await start(dataDir);
    assert.deepEqual(await query(current.connection, 'SELECT 1'), [[1]]);
    await leaving;
    assert.deepEqual(await query(current.connection, 'SELECT 1'), [[1]], `round ${round}`);
  }
  await current.stop();
});

test('a server killed with -9 is restarted over its stale lock file, and earlier owners still count', async () => {
  const dataDir = await copyCluster('crashed');
  const early = await start(dataDir);
  await query(early.connection, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
  process.kill(readPid(dataDir), 'SIGKILL');
  const late = await start(dataDir);
  const pid = readPid(dataDir);
  assert.equal(late.attached, false);
  assert.deepEqual(await query(late.connection, 'SELECT n FROM kept'), [[7]]);
  await late.stop();
  assert.deepEqual(await query(early.connection, 'SELECT n FROM kept'), [[7]]);
  await early.stop();
  assert.equal(isProcessAlive(pid), false);
});

test('after a power cut, a lock file whose process id belongs to another program does not block the start', async () => {
  const dataDir = await copyCluster('power-cut');
  // Same account as the server: PostgreSQL itself recognises a process id of another account.
  const { uid, gid } = statSync(join(dataDir, 'postgres'));
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore', ...(process.getuid?.() === 0 ? { uid, gid } : {}) });
  const lock = `${stranger.pid}\n${join(dataDir, 'postgres/data')}\n1700000000\n5432\n\n\n\n`;
  writeFileSync(join(dataDir, 'postgres/data/postmaster.pid'), lock);
  writeFileSync(join(dataDir, 'postgres/run/.s.PGSQL.5432.lock'), lock);
  mkdirSync(join(dataDir, 'postgres/data.unfinished-old'));
  const server = await start(dataDir);
  assert.deepEqual(await query(server.connection, 'SELECT 1'), [[1]]);
  assert.equal(isProcessAlive(stranger.pid ?? 0), true, 'the stranger must not be harmed');
  assert.equal(existsSync(join(dataDir, 'postgres/data.unfinished-old')), false);
  await server.stop();
  stranger.kill('SIGKILL');
});

test('a data folder with a long path, inside a folder only its owner may enter, works', async () => {
  const closed = join(scratch, 'private');
  mkdirSync(closed, { mode: 0o700 });
  const dataDir = join(closed, 'a folder with spaces and "quotes" whose path is longer than a socket path may be', 'x'.repeat(60));
  const server = await start(dataDir);
  const attached = await start(dataDir);
  assert.ok(Buffer.byteLength(server.connection.host) < 100);
  assert.deepEqual(await query(attached.connection, 'SELECT 1'), [[1]]);
  await Promise.all([server.stop(), attached.stop()]);
  assert.equal(existsSync(server.connection.host), false, 'the short folder of the socket is removed');
});
