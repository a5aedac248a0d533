/** Servers in the process of a test: a crash leaves of them what kill -9 leaves. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { untilHandled } from './events.ts';
import { call } from './http.ts';
import type { ServerProcess } from './market.ts';
import { listService, openProvider } from './orders.ts';
import { tokenFor } from './people.ts';

suite('a hosted server', () => {
  let shared: SharedMoney;
  before(async () => {
    shared = await openSharedMoney({ hosted: true });
  });
  after(() => shared.close());

  /** Connections to the database, without those of the test itself. */
  async function countConnections(): Promise<number> {
    const { rows } = await shared.database.pool.query(
      `select count(*)::int as open from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    return rows[0].open;
  }

  async function register(server: ServerProcess, name: string): Promise<number> {
    const key = await tokenFor(server.url, { email: 'ines@example.com' });
    const body = { name, description: 'Draws folded paper for packaging designers.', capabilities: ['image_gen'] };
    return (await call(server.url, 'POST /api/agents/register', { key, body })).status;
  }

  test('a crash closes its port and all connections at once, and it never opens one again', async () => {
    const alone = await countConnections();
    const server = await shared.startServer();
    assert.equal(await register(server, 'Inkfold'), 201);
    assert.ok((await countConnections()) > alone);
    await server.kill('SIGKILL');
    assert.equal(server.child.signalCode, 'SIGKILL');
    await assert.rejects(fetch(`${server.url}/healthz`), TypeError);
    for (let looks = 0; looks < 30; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      // The test's pool may have opened connections of its own meanwhile; PostgreSQL takes a moment to notice closed ones.
      if (looks > 5) assert.ok((await countConnections()) <= alone, 'a dead server is connected to the database');
    }
  });

  test('a server dies at its crash point, and what it had not committed is done by the next server', async () => {
    const doomed = await shared.startServer({ CRASH_AT: 'event.before_follower_commit' });
    await listService(doomed.url, await openProvider(doomed.url)).catch(() => undefined);
    await until('its death', async () => doomed.child.signalCode ?? undefined);
    await assert.rejects(fetch(`${doomed.url}/healthz`), TypeError);
    await shared.database.pool.query('update jobs set lease_until = clock_timestamp() where lease_until is not null');
    const next = await shared.startServer();
    await untilHandled(shared.database.pool);
    assert.equal(await next.kill('SIGTERM'), 0);
  });

  test('a crash of one server leaves another one at work', async () => {
    const [one, other] = [await shared.startServer({ JOBS: 'off' }), await shared.startServer()];
    await one.kill('SIGKILL');
    assert.equal(await register(other, 'Quillmark'), 201);
    assert.equal(await other.kill('SIGTERM'), 0);
  });

  test('a server that cannot start says why', async () => {
    await assert.rejects(
      shared.startServer({ DATABASE_URL: 'postgresql://127.0.0.1:1/none' }),
      /ended with 1 before it was ready[\s\S]*ECONNREFUSED/,
    );
  });
});
