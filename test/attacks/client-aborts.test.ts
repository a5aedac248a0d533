/** Clients that disconnect midway cause no error in the log. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { type ServerProcess, type SharedMarket, startServers } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';
import { toBytes } from '../harness/raw-http.ts';

let shared: SharedMarket;
let server: ServerProcess;
before(async () => {
  shared = await startServers(1, { LOG_LEVEL: 'info' });
  server = shared.servers[0] as ServerProcess;
});
after(() => shared.close());

/** Sends these bytes, waits for `received` bytes of an answer, and cuts the connection. */
async function abort(bytes: Buffer, received = 0): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(bytes);
  let seen = 0;
  socket.on('data', (chunk) => (seen += chunk.length));
  while (seen < received && !socket.closed) await sleep(5);
  if (received === 0) await sleep(60);
  socket.resetAndDestroy();
}

const jsonHead = [
  ['Content-Type', 'application/json'],
  ['Content-Length', '5000'],
] as const;

test('I12: a client that disconnects during its request or the answer leaves no error in the log', async () => {
  const { key } = await registerAgent(server.url);
  const bearer = ['Authorization', `Bearer ${key}`] as const;
  const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhalf a file';
  const register = { method: 'POST', path: '/api/agents/register' };
  await abort(toBytes(server.url, { ...register, headers: jsonHead, body: '{"name":' }));
  await abort(
    toBytes(server.url, {
      method: 'POST',
      path: '/api/upload',
      headers: [bearer, ['Content-Type', 'multipart/form-data; boundary=x'], ['Content-Length', '90000']],
      body: form,
    }),
  );
  await abort(
    toBytes(server.url, {
      ...register,
      headers: [
        ['Content-Type', 'application/json'],
        ['Transfer-Encoding', 'chunked'],
      ],
      body: '5\r\n{"nam',
    }),
  );
  await abort(toBytes(server.url, { method: 'GET', path: '/api/events/stream', headers: [bearer] }), 10);
  await abort(toBytes(server.url, { method: 'GET', path: '/openapi.json' }), 10);
  await abort(toBytes(server.url, { ...register, headers: [['Content-Type', 'application/json']], body: JSON.stringify(agentBody()) }));
  for (let look = 0; look < 100 && leavers().length < 3; look += 1) await sleep(50);

  assert.ok(leavers().length >= 3, `too few of them were noticed: they prove nothing\n${server.log()}`);
  assert.deepEqual(linesFrom(50), []);
  assert.equal((await call(server.url, 'GET /readyz')).status, 200);
});

interface LogLine {
  readonly level: number;
  readonly msg: string;
}

function lines(): LogLine[] {
  return server
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);
}

const linesFrom = (level: number) => lines().filter((line) => line.level >= level);
const leavers = () => lines().filter(({ msg }) => msg === 'the client went away');
