/** The real program with its embedded PostgreSQL: start, stop, kill and restart. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { type ServerProcess, startServer } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';
import { toBytes } from '../harness/raw-http.ts';
import { some } from '../harness/thoroughness.ts';
import { type DataFolder, listPostgres, makeDataFolder, survivorsOf } from './data-folder.ts';
import { startMain } from './main-process.ts';

let folder: DataFolder;
let neighbourFolder: DataFolder;
let neighbour: ServerProcess;
let server: ServerProcess;
let agent: TestAgent;

const startOn = ({ path }: DataFolder) =>
  startServer({ DATA_DIR: path, SANDBOX_CHAINS: 'off', LOG_LEVEL: 'info', RATE_LIMIT_SCALE: '1000' });

before(async () => {
  [folder, neighbourFolder] = await Promise.all([makeDataFolder(), makeDataFolder()]);
  [server, neighbour] = await Promise.all([startOn(folder), startOn(neighbourFolder)]);
});
after(async () => {
  await Promise.all([server?.kill('SIGKILL'), neighbour?.kill('SIGKILL')]);
  await survivorsOf([...listPostgres(folder), ...listPostgres(neighbourFolder)], 10_000);
  await Promise.all([folder.remove(), neighbourFolder.remove()]);
});

test('two instances with their own folders and ports share nothing', async () => {
  for (const { url } of [server, neighbour]) assert.equal((await call(url, 'GET /readyz')).status, 200);
  agent = await registerAgent(server.url);
  assert.equal((await call(server.url, 'GET /api/agents/me', { key: agent.key })).status, 200);
  assert.equal((await call(neighbour.url, 'GET /api/agents/me', { key: agent.key })).status, 401);
  const [own, other] = [listPostgres(folder), listPostgres(neighbourFolder)];
  assert.ok(own.length > 1 && other.length > 1, `${own} ${other}`);
  assert.deepEqual(
    own.filter((pid) => other.includes(pid)),
    [],
  );
});

/** Collects the answers on a connection that stays open. */
async function openConnection(url: string): Promise<{ write(bytes: Buffer): void; received(): string }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      text += chunk.toString();
    });
  await once(socket, 'connect');
  return { write: (bytes) => void socket.write(bytes), received: () => text };
}

let answerWhileStopping = '';

test('C23: SIGTERM lets a running request finish, accepts no new connections, and ends everything within 10 seconds', async () => {
  const body = JSON.stringify(agentBody());
  const bytes = toBytes(server.url, {
    method: 'POST',
    path: '/api/agents/register',
    headers: [['Content-Type', 'application/json']],
    body,
  });
  const [underWay, waiting] = await Promise.all([openConnection(server.url), openConnection(server.url)]);
  underWay.write(bytes.subarray(0, -10));
  await sleep(200);
  const processes = listPostgres(folder);
  const startedAt = performance.now();
  const ended = server.kill('SIGTERM');
  await sleep(300);
  waiting.write(toBytes(server.url, { method: 'GET', path: '/readyz' }));
  await sleep(200);
  answerWhileStopping = waiting.received();
  await assert.rejects(call(server.url, 'GET /healthz'), 'a stopping server still takes connections');
  underWay.write(bytes.subarray(-10));
  assert.equal(await ended, 0, server.log());
  assert.ok(performance.now() - startedAt < 10_000);
  assert.match(underWay.received(), /^HTTP\/1\.1 201 /);
  assert.deepEqual(await survivorsOf(processes, 500), [], 'PostgreSQL outlived the server');
  assert.equal((await call(neighbour.url, 'GET /readyz')).status, 200);
});

test('a request that arrives during shutdown is refused with 503 in the envelope', () => {
  assert.match(answerWhileStopping, /^HTTP\/1\.1 503 /);
  assert.match(answerWhileStopping, /"success":false.*"code":"unavailable"/);
  assert.match(answerWhileStopping, /\r\nx-request-id: /i);
});

test('a client that never finishes its request cannot block a clean shutdown', async () => {
  const stuck = await openConnection(neighbour.url);
  stuck.write(
    Buffer.from('POST /api/agents/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{'),
  );
  await sleep(200);
  const processes = listPostgres(neighbourFolder);
  const startedAt = performance.now();
  assert.equal(await neighbour.kill('SIGTERM'), 0, neighbour.log());
  assert.ok(performance.now() - startedAt < 10_000);
  assert.deepEqual(await survivorsOf(processes, 1_000), [], 'PostgreSQL outlived the server');
});

test('a restart keeps the data, and a SIGKILL leaves no running PostgreSQL and loses nothing', async () => {
  server = await startOn(folder);
  assert.equal((await call(server.url, 'GET /api/agents/me', { key: agent.key })).body['data'].id, agent.id);
  const late = await registerAgent(server.url);
  const processes = listPostgres(folder);
  assert.ok(processes.length > 1);
  assert.equal(await server.kill('SIGKILL'), null);
  assert.deepEqual(await survivorsOf(processes, 5_000), [], 'PostgreSQL outlived the killed server');
  server = await startOn(folder);
  for (const { key, id } of [agent, late]) assert.equal((await call(server.url, 'GET /api/agents/me', { key })).body['data'].id, id);
});

test('two processes on one folder share one PostgreSQL, which runs until the last of them ends', async () => {
  const second = await startOn(folder);
  assert.equal((await call(second.url, 'GET /api/agents/me', { key: agent.key })).status, 200);
  const processes = listPostgres(folder);
  assert.equal(await server.kill('SIGTERM'), 0);
  assert.equal((await call(second.url, 'GET /api/agents/me', { key: agent.key })).status, 200);
  assert.equal(await second.kill('SIGINT'), 0);
  assert.deepEqual(await survivorsOf(processes, 500), []);
});

test('SIGTERM during the first start leaves nothing running and a folder that starts again', async () => {
  const fresh = await makeDataFolder();
  try {
    // In the order of a first start's log: each step that one start did, the next one skips.
    for (const moment of some([/creating the database cluster/, /starting PostgreSQL/, /applying migration/], 1)) {
      const early = startMain({ DATA_DIR: fresh.path, SANDBOX_CHAINS: 'off', LOG_LEVEL: 'info', PORT: '0' });
      await early.hasSaid(moment);
      const signalledAt = performance.now();
      early.child.kill('SIGTERM');
      const { code, output } = await early.ended;
      assert.equal(code, 0, output);
      assert.ok(performance.now() - signalledAt < 10_000);
      assert.doesNotMatch(output, /^ready /m);
      assert.deepEqual(await survivorsOf(listPostgres(fresh), 5_000), [], `after ${moment}`);
    }
    const whole = await startOn(fresh);
    assert.equal((await call(whole.url, 'GET /readyz')).status, 200);
    assert.equal(await whole.kill('SIGTERM'), 0);
  } finally {
    await survivorsOf(listPostgres(fresh), 10_000);
    await fresh.remove();
  }
});
