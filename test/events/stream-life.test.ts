/** The lifetime and cost of a stream, over REST and MCP: revoked credentials, slow readers, keep-alives, server shutdown. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { createAddressedSignatures } from '../../packages/server/src/access/authority/addressed-signatures.ts';
import { createSeenSignatures } from '../../packages/server/src/access/authority/seen-signatures.ts';
import { createCredentialChanges } from '../../packages/server/src/access/credential-changes.ts';
import { createCallerResolver } from '../../packages/server/src/access/resolve-caller.ts';
import type { SignInWithX } from '../../packages/server/src/access/sign-in-with-x.ts';
import { holdFreePort } from '../../packages/server/src/boot/hold-port.ts';
import { createEventHub, createStreamSlots, type EventsContext } from '../../packages/server/src/features/events/index.ts';
import { createDatabaseClock, type DatabaseClock } from '../../packages/server/src/platform/clock/database-clock.ts';
import { createEventLog } from '../../packages/server/src/platform/events/event-log.ts';
import { createRateLimiter } from '../../packages/server/src/platform/limits/rate-limiter.ts';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { createMetrics } from '../../packages/server/src/platform/telemetry/metrics.ts';
import { createCallCounter } from '../../packages/server/src/surfaces/count-calls.ts';
import { addStreamRoutes } from '../../packages/server/src/surfaces/events/stream-routes.ts';
import { createExecutor, type ExecutorOptions } from '../../packages/server/src/surfaces/execute-operation.ts';
import { addMcpRoutes } from '../../packages/server/src/surfaces/mcp/mcp-routes.ts';
import { orderUri } from '../../packages/server/src/surfaces/mcp/resources.ts';
import { createHttpServer } from '../../packages/server/src/surfaces/rest/http-server.ts';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { MASTER_KEY, openMarket, type TestMarket } from '../harness/market.ts';
import { openListen, postMcp } from '../harness/mcp.ts';
import { asHeaders, baseWallet, openSession, signed, signedFor, tokenFor } from '../harness/people.ts';
import { opened, openStream } from './sse-client.ts';

/** The market's streams with short intervals, on their own HTTP server. */
let market: TestMarket;
let http: ReturnType<typeof createHttpServer>;
let url: string;
let clock: DatabaseClock;
let events: EventsContext;

/** Sign-in messages seen so far; a message here is just the address. */
const used = new Set<string>();

const PACE = { heartbeatMs: 60, recheckMs: 120, stalledMs: 400 };
const HURRIED_MS = 2_000;

before(async () => {
  market = await openMarket();
  const { database } = market;
  const log = createLogger({ level: 'silent', pretty: false });
  const metrics = createMetrics();
  clock = await createDatabaseClock(database.pool);
  const secrets = createSecretBox({ current: Buffer.from(MASTER_KEY, 'hex'), previous: [] });
  const signIn: SignInWithX = {
    async read(address) {
      assert.equal(used.size, used.add(address).size - 1, 'a message is good for one request');
      return { address, chain: 'base', proof: 'sign_in', signatureAgeMs: 0 };
    },
    challengeAt: () => undefined,
  };
  const actionMessages = { challenge: () => assert.fail(), isOurs: () => false, read: () => assert.fail() };
  // Without notifications: the stream must still find events, only later.
  events = {
    database,
    hub: createEventHub({ db: database.db, notifications: { on: () => undefined }, log }),
    slots: createStreamSlots({ perCaller: 5, perAddress: 100, siteTimes: 16, total: 6 }),
    credentials: createCredentialChanges({ db: database.db, notifications: { on: () => undefined }, log }),
  };
  http = createHttpServer({ log, metrics, trustedProxies: [], trustedOrigins: new Set(), production: false });
  const resolver = createCallerResolver({
    db: database.db,
    clock,
    secrets,
    idp: undefined,
    smartWallets: undefined,
    signIn,
    actionMessages,
    hosts: [],
  });
  const limiter = createRateLimiter(database.pool, 10_000);
  // The parts that opening a stream uses.
  const parts = {
    resolver,
    seenSignatures: createSeenSignatures({ db: database.db, clock }),
    addressedSignatures: createAddressedSignatures({ db: database.db, clock, log }),
    knownWallets: { note: async () => undefined },
    calls: createCallCounter({ limiter, clock, metrics, holdsPass: () => false }),
    database,
    clock,
    isPrivateLink: () => false,
    guardSubject: async () => undefined,
  } as unknown as ExecutorOptions;
  const executor = createExecutor(parts);
  addStreamRoutes(http, { executor, signIn, log, events, pace: PACE });
  const held = await holdFreePort('127.0.0.1');
  url = `http://127.0.0.1:${held.port}`;
  const listenPace = { ...PACE, waitMs: PACE.heartbeatMs };
  const facts = { serviceName: 'Market', appUrl: url, baseUrl: url, trustedOrigins: new Set<string>(), readyBytes: 0, fixtures: false };
  const unused = () => assert.fail('nothing is kept here');
  const versions = { read: async () => unused(), parse: unused };
  addMcpRoutes(http, { executor, resolver, events, log, metrics, versions, listenPace, ...facts });
  await held.release();
  await http.listen({ host: '127.0.0.1', port: held.port });
});

after(async () => {
  events.hub.stop();
  await http.close();
  clock.stop();
  await market.close();
});

async function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${milliseconds} ms`)), milliseconds);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The server notices a closed connection with a delay. */
async function untilFree(): Promise<void> {
  for (let look = 0; look < 100 && events.slots.taken > 0; look++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(events.slots.taken, 0, 'no slot is taken');
}

test('a silent event stream sends keep-alive comments', async () => {
  const agent = await registerAgent(market.url);
  const stream = await openStream(url, { authorization: `Bearer ${agent.key}` });
  for (let look = 0; look < 200 && stream.comments() < 3; look++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(stream.comments() >= 3);
  assert.deepEqual(stream.events, []);
  stream.close();
});

test('a rotated key, or deactivating the agent, ends its event stream with a reason', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(market.url, owner);
  const headers = { authorization: `Bearer ${agent.key}` };
  const first = await opened(await openStream(url, headers));
  const proof = await signedFor(market.url, owner, { method: 'POST', path: '/api/agents/me/rotate-key', body: {} });
  const rotated = await expectCall(market.url, 200, 'POST /api/agents/me/rotate-key', { headers, body: proof });
  await within(HURRIED_MS, 'the end', first.ended);
  assert.deepEqual([first.events.at(-1)?.event, first.events.at(-1)?.data.reason], ['bye', 'invalid_api_key']);

  const second = await opened(await openStream(url, { authorization: `Bearer ${rotated['api_key']}` }));
  await expectCall(market.url, 200, `PATCH /api/agents/${agent.id}/active`, {
    body: { active: false },
    headers: asHeaders(await signed(owner)),
  });
  await within(HURRIED_MS, 'the end', second.ended);
  assert.equal(second.events.at(-1)?.data.reason, 'invalid_api_key');
});

test('a rotated key or a deactivated agent opens no listening stream over MCP, and its open ones end', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(market.url, owner);
  const first = await openListen(url, agent.key);
  assert.equal(first.status, 200);
  const proof = await signedFor(market.url, owner, { method: 'POST', path: '/api/agents/me/rotate-key', body: {} });
  const rotated = await expectCall(market.url, 200, 'POST /api/agents/me/rotate-key', { key: agent.key, body: proof });
  await within(HURRIED_MS, 'the end', first.ended);
  assert.equal((await openListen(url, agent.key)).status, 401);

  const second = await openListen(url, rotated['api_key']);
  assert.equal(second.status, 200);
  const headers = asHeaders(await signed(owner));
  await expectCall(market.url, 200, `PATCH /api/agents/${agent.id}/active`, { body: { active: false }, headers });
  await within(HURRIED_MS, 'the end', second.ended);
  assert.equal((await openListen(url, rotated['api_key'])).status, 401);
});

test('a ban ends a listening stream over MCP, and its agent opens no other', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(market.url, owner);
  const stream = await openListen(url, agent.key);
  assert.equal(stream.status, 200);
  const admin = await tokenFor(market.url, { email: 'ops@example.com', admin: true });
  const body = { kind: 'wallet', value: owner.address, reason: 'Stolen pictures.' };
  await expectCall(market.url, 200, 'POST /api/admin/bans', { key: admin, body });
  await within(HURRIED_MS, 'the end', stream.ended);
  const refused = await openListen(url, agent.key);
  assert.equal(refused.status, 403);
  assert.equal(JSON.parse(await refused.ended).error.data.code, 'banned');
});

test('a listening MCP stream that ends at once frees its slot', async () => {
  const agent = await registerAgent(market.url);
  const headers = { authorization: `Bearer ${agent.key}` };
  const older = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [] } } };
  for (let round = 0; round < 13; round += 1) {
    assert.equal((await postMcp(url, older, headers)).json.error.code, -32_601);
    const acknowledged = await openListen(url, agent.key, { toolsListChanged: true });
    assert.match(await within(HURRIED_MS, 'the end', acknowledged.ended), /subscriptions\/acknowledged/);
  }
  await untilFree();
  const [listening, stream] = [await openListen(url, agent.key), await opened(await openStream(url, headers))];
  assert.equal(listening.status, 200);
  assert.equal(events.slots.taken, 2);
  listening.close();
  stream.close();
  await untilFree();
});

test('a closed session ends the event streams it opened', async () => {
  const cookie = await openSession(market.url, baseWallet());
  const stream = await opened(await openStream(url, { cookie }));
  await expectCall(market.url, 200, 'DELETE /api/auth/session', { headers: { cookie } });
  await within(HURRIED_MS, 'the end', stream.ended);
  assert.equal(stream.events.at(-1)?.data.reason, 'unauthenticated');
});

test('a sign-in message opens an event stream once, and the stream stays open without it', async () => {
  const { address } = baseWallet();
  const stream = await opened(await openStream(url, { 'sign-in-with-x': address }));
  for (let look = 0; look < 200 && stream.comments() < 8; look++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(stream.comments() >= 8, 'several looks at the credentials later it is still open');
  assert.deepEqual(stream.events, []);
  stream.close();
});

test('a new owner of an agent gets its events on the stream that is already open', async () => {
  const owner = baseWallet();
  const stream = await opened(await openStream(url, asHeaders(await signed(owner))));
  const agent = await registerOwnedAgent(market.url, owner);
  const [heard] = await stream.has(1);
  assert.deepEqual([heard?.event, heard?.data.agent_id], ['agent.registered', agent.id]);
  stream.close();
});

test('a client that does not read its event stream is disconnected, frees its slot, and has buffered at most a page of events', async () => {
  const agent = await registerAgent(market.url);
  const log = createEventLog(market.database);
  const data = { text: 'x'.repeat(60_000) };
  for (let round = 0; round < 10; round++) {
    await market.database.transaction((tx) =>
      log.append(
        tx,
        Array.from({ length: 30 }, (_, index) => ({ type: 'test.large', subjectId: `${round}.${index}`, agentId: agent.id, data })),
      ),
    );
  }
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET /api/events/stream?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${agent.key}\r\n\r\n`);
  socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(events.slots.taken, 1);
  for (let look = 0; look < 300 && events.slots.taken > 0; look++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(events.slots.taken, 0, 'the slot is free again');
  socket.destroy();
  // The unread events are still there.
  const stream = await openStream(url, { authorization: `Bearer ${agent.key}` }, '?after=200');
  assert.equal((await stream.has(101)).length, 101);
  stream.close();
});

test('a client that does not read its listening stream over MCP is disconnected and frees its slot', async () => {
  await untilFree();
  const agent = await registerAgent(market.url);
  const orderIds = Array.from({ length: 100 }, (_, index) => `ord_test${index}`);
  // A corked socket sends nothing, as if client and kernel had no more room.
  http.server.once('connection', (socket) => socket.cork());
  const listening = openListen(url, agent.key, { resourceSubscriptions: orderIds.map(orderUri) });
  const ended = listening.then(
    () => 'answered',
    () => 'disconnected',
  );
  for (let look = 0; look < 300 && events.slots.taken === 0; look++) await new Promise((resolve) => setTimeout(resolve, 10));
  const log = createEventLog(market.database);
  const changes = orderIds.map((orderId) => ({ type: 'test.change', subjectId: orderId, agentId: agent.id, data: {} }));
  for (let round = 0; round < 10; round++) await market.database.transaction((tx) => log.append(tx, changes));
  assert.equal(await within(10_000, 'the end', ended), 'disconnected');
  await untilFree();
});

test('the server holds a bounded number of event streams in total and answers 503 when full', async () => {
  await untilFree();
  const agents = await Promise.all([registerAgent(market.url), registerAgent(market.url)]);
  const streams = await Promise.all([0, 0, 0, 1, 1, 1].map((which) => openStream(url, { authorization: `Bearer ${agents[which]?.key}` })));
  const refused = await call(url, 'GET /api/events/stream', { key: agents[0]?.key ?? '' });
  assert.deepEqual([refused.status, refused.body['code']], [503, 'streams_full']);
  for (const stream of streams) stream.close();
});

test('a stopping server ends event streams at once with a bye event, and the last event id stays valid', async () => {
  const other = await openMarket();
  const agent = await registerAgent(other.url);
  const stream = await opened(await openStream(other.url, { authorization: `Bearer ${agent.key}` }));
  const began = performance.now();
  await Promise.all([other.close(), stream.ended]);
  assert.ok(performance.now() - began < 4_000, 'nobody waited for the stream to end by itself');
  assert.deepEqual(
    stream.events.map(({ event, data, id }) => [event, data.reason, id]),
    [['bye', 'server_stopping', '1']],
  );
});
