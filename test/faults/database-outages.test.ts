/**
 * PostgreSQL is stopped for up to 60 seconds under load, embedded and as a separate server. Both kinds run at the same time, because
 * most of it is waiting.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../packages/server/src/local-postgres/embedded-postgres.ts';
import { acquireExclusiveLock } from '../../packages/server/src/local-postgres/exclusive-lock.ts';
import { call } from '../harness/http.ts';
import { MASTER_KEY, type ServerProcess, startServer } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';
import { isThorough } from '../harness/thoroughness.ts';
import { type DataFolder, makeDataFolder } from './data-folder.ts';
import { type Footprint, footprintOf, putUnderLoad, timeUntil } from './outage-watch.ts';

const OUTAGES_SECONDS = isThorough ? [1, 8, 60] : [1, 4];
const POOL_SIZE = 8;
const BACK_WITHIN_MS = 5_000;
const settings = {
  DATABASE_POOL_SIZE: String(POOL_SIZE),
  LOG_LEVEL: 'warn',
  MASTER_KEY,
  RATE_LIMIT_SCALE: '10000',
  SANDBOX_CHAINS: 'off',
};

interface Stage {
  readonly server: ServerProcess;
  readonly connection: EmbeddedPostgres['connection'];
  /** Ends PostgreSQL and keeps it away; the returned function brings it back. */
  stopDatabase(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** The server would restart PostgreSQL by itself, so another process holds the start lock meanwhile. */
async function openEmbedded(folder: DataFolder): Promise<Stage> {
  const server = await startServer({ ...settings, DATA_DIR: folder.path });
  // Joins the server's PostgreSQL to learn its address, and leaves again.
  const joined = await startEmbeddedPostgres({ dataDir: folder.path, log: () => undefined });
  await joined.stop();
  const place = path.join(folder.path, 'postgres');
  return {
    server,
    connection: joined.connection,
    async stopDatabase() {
      const lock = await acquireExclusiveLock(path.join(place, 'run', 'start.lock'), Date.now() + 10_000, () => undefined);
      process.kill(Number.parseInt(readFileSync(path.join(place, 'data', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
      return async () => lock.release();
    },
    async close() {
      await server.kill('SIGKILL');
    },
  };
}

async function openExternal(folder: DataFolder): Promise<Stage> {
  const start = () => startEmbeddedPostgres({ dataDir: path.join(folder.path, 'elsewhere'), log: () => undefined });
  let database = await start();
  const { host, port, user } = database.connection;
  const address = new URLSearchParams({ host, port: String(port), user });
  const server = await startServer({ ...settings, DATA_DIR: folder.path, DATABASE_URL: `postgresql:///postgres?${address}` });
  return {
    server,
    connection: database.connection,
    async stopDatabase() {
      await database.stop();
      return async () => {
        database = await start();
      };
    },
    async close() {
      await server.kill('SIGKILL');
      await database.stop();
    },
  };
}

suite('C15, C17: PostgreSQL is stopped under load', { concurrency: true }, () => {
  for (const [kind, open] of [
    ['embedded', openEmbedded],
    ['DATABASE_URL', openExternal],
  ] as const) {
    test(`C15, C17: ${kind}, for ${OUTAGES_SECONDS.join(', ')} s: the service recovers within 5 s, with constant connections and memory`, async () => {
      const folder = await makeDataFolder();
      try {
        const stage = await open(folder);
        try {
          for (const seconds of OUTAGES_SECONDS) await goThrough(stage, seconds);
        } finally {
          await stage.close();
        }
      } finally {
        await folder.remove();
      }
    });
  }
});

async function goThrough({ server, connection, stopDatabase }: Stage, seconds: number): Promise<void> {
  const load = putUnderLoad(server.url);
  try {
    await timeUntil(10_000, async () => load.replies.filter(({ status }) => status === 201).length > 20);
    const before = footprintOf(server);
    const bringBack = await stopDatabase();
    const peak = await watch(server, seconds);
    // From here on a starting database answers.
    await bringBack();
    assert.ok((await timeUntil(30_000, async () => await accepts(connection))) !== undefined, 'PostgreSQL did not come back');
    const ready = await timeUntil(BACK_WITHIN_MS, async () => (await call(server.url, 'GET /readyz')).status === 200);
    assert.ok(ready !== undefined, `not ready within 5 s of the return:\n${server.log().slice(-2000)}`);
    const registered = await timeUntil(BACK_WITHIN_MS - ready, async () => await isRegistered(server.url));
    assert.ok(registered !== undefined, 'no agent could be registered within 5 s of the return');
    await requireHeard(server, connection);

    assert.ok(peak.descriptors < before.descriptors + 40, `descriptors grew from ${before.descriptors} to ${peak.descriptors}`);
    assert.ok(peak.residentMiB < before.residentMiB + 150, `memory grew from ${before.residentMiB} to ${peak.residentMiB} MiB`);
    assert.ok((await countConnections(connection)) <= POOL_SIZE + 1, 'more connections than the pool and the listener');
  } finally {
    await load.stop();
  }
  assert.equal(server.child.exitCode, null);
  assert.deepEqual(load.unanswered, []);
  const statuses = new Set(load.replies.map(({ status }) => status));
  assert.deepEqual(
    [...statuses].filter((status) => ![200, 201, 503].includes(status)),
    [],
    `statuses ${[...statuses]}`,
  );
  assert.ok(statuses.has(503), `no request met the outage of ${seconds} s: it proves nothing`);
}

/** The largest footprint during the outage. Readiness must name the database from its first second on. */
async function watch(server: ServerProcess, seconds: number): Promise<Footprint> {
  const endsAt = performance.now() + seconds * 1000;
  let peak = footprintOf(server);
  await sleep(Math.min(800, (seconds * 1000) / 2));
  while (performance.now() < endsAt) {
    const { status, body } = await call(server.url, 'GET /readyz');
    assert.deepEqual([status, Object.keys(body['data'] ?? {})], [503, ['database']], JSON.stringify(body));
    const { descriptors, residentMiB } = footprintOf(server);
    peak = { descriptors: Math.max(peak.descriptors, descriptors), residentMiB: Math.max(peak.residentMiB, residentMiB) };
    await sleep(250);
  }
  return peak;
}

async function accepts(connection: EmbeddedPostgres['connection']): Promise<boolean> {
  return (await query(connection, 'select 1')).rowCount === 1;
}

async function isRegistered(url: string): Promise<boolean> {
  return (await call(url, 'POST /api/agents/register', { body: agentBody() })).status === 201;
}

/** Requires that the listener is back, so that the process receives notifications of others. */
async function requireHeard({ url }: ServerProcess, connection: EmbeddedPostgres['connection']): Promise<void> {
  const offset = async () => (await call(url, 'GET /sandbox/clock')).body['data'].offset_seconds;
  const before = await offset();
  const heard = await timeUntil(BACK_WITHIN_MS, async () => {
    // Repeated, because the listener may connect a moment after the pool.
    await query(connection, `update market_clock set offset_ms = ${(before + 10) * 1000}`);
    await query(connection, `select pg_notify('market_clock', '')`);
    await sleep(50);
    return (await offset()) === before + 10;
  });
  assert.ok(heard !== undefined, 'the listener did not come back');
}

async function countConnections(connection: EmbeddedPostgres['connection']): Promise<number> {
  const { rows } = await query(connection, `select count(*)::int as count from pg_stat_activity where application_name like 'market%'`);
  return rows[0].count;
}

async function query(connection: EmbeddedPostgres['connection'], sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...connection });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
