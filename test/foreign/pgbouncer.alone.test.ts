/** Two processes behind Debian's pgbouncer in transaction mode work as one market. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkName } from '@market/contract';
import pg from 'pg';
import type { PostgresConnection } from '../../packages/server/src/local-postgres/embedded-postgres.ts';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { holdLock, tryHoldLock } from '../../packages/server/src/platform/db/held-lock.ts';
import { migrate } from '../../packages/server/src/platform/db/migrate.ts';
import { opened, openStream, type SseStream } from '../events/sse-client.ts';
import { registerAgent } from '../harness/agents.ts';
import { createTestDatabase } from '../harness/database.ts';
import { hireWith, openMachineBuyer, readOffer, requireHired, versionTwo } from '../harness/machine-buyers.ts';
import type { ServerProcess } from '../harness/market.ts';
import {
  act,
  deliver,
  listService,
  openBuyer,
  openProvider,
  payOrder,
  placeOrder,
  requireSoundBooks,
  untilTransferred,
} from '../harness/orders.ts';
import { type Pooler, startPgbouncer } from '../harness/pgbouncer.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

/** The time that an event may take from one process's commit to the other's stream. */
const REACHES_WITHIN_MS = 500;
const MIGRATIONS = path.join(import.meta.dirname, '..', '..', 'packages', 'server', 'migrations');

let shared: SharedMoney;
let postgres: PostgresConnection;
before(async () => {
  shared = await openSharedMoney();
  postgres = connectionIn(shared.settings['DATABASE_URL'] ?? '');
});
after(() => shared.close());

/** The test database named in this address. */
function connectionIn(url: string): PostgresConnection {
  const { pathname, searchParams } = new URL(url);
  const [host = '', port = '', user = ''] = ['host', 'port', 'user'].map((name) => searchParams.get(name) ?? '');
  return { host, port: Number(port), user, database: pathname.slice(1) };
}

interface LogLine {
  readonly level: number;
  readonly msg: string;
}

const linesOf = ({ log }: ServerProcess): LogLine[] =>
  log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);

/** The time from each call's answer to its event. The answer comes after the commit, so the time since the commit is a bit longer. */
async function reachedAfter(stream: SseStream, act: () => Promise<unknown>): Promise<number> {
  const before = stream.events.length;
  const asked = performance.now();
  await act();
  const answered = performance.now();
  const heard = await stream.has(before + 1);
  return (heard[before]?.at ?? Number.POSITIVE_INFINITY) - Math.max(asked, answered);
}

suite('two processes with only a five-connection pooler as access to PostgreSQL', () => {
  let pooler: Pooler;
  let servers: readonly [ServerProcess, ServerProcess];
  let urls: readonly [string, string];
  before(async () => {
    pooler = await startPgbouncer(postgres, { default_pool_size: '5' });
    const settings = { DATABASE_URL: pooler.urlOf(postgres.database), DATABASE_POOL_SIZE: '20' };
    servers = await Promise.all([shared.startServer(settings), shared.startServer(settings)]);
    urls = [servers[0].url, servers[1].url];
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.kill('SIGKILL')));
    await pooler.stop();
  });

  for (const network of ['base-mainnet', 'solana-mainnet', 'alt-mainnet'] as const satisfies readonly NetworkName[]) {
    test(`a hire on ${network} behind a pooler runs from registration to payout, alternating between two processes`, async () => {
      const [one, two] = urls;
      const provider = await openProvider(one, network);
      const buyer = await openBuyer(shared, network, 25_000_000n);
      const order = await placeOrder(one, await listService(two, provider), buyer);
      await payOrder(two, order, buyer);
      assert.equal((await deliver(one, order, provider)).status, 200);
      const approved = await act(two, order, buyer, 'approve');
      assert.equal(approved.status, 200, JSON.stringify(approved.body));
      const money = await untilTransferred(one, order, buyer, 'payout');
      assert.deepEqual([money.released_usd, money.held_usd], ['9.00', '0.00']);
    });
  }

  test('machines hire behind a pooler with standard payments that both processes settle with one key in parallel', async () => {
    const provider = await openProvider(urls[0]);
    const serviceId = await listService(urls[0], provider, { price_usd: '1.00' });
    const buyers = await Promise.all(Array.from({ length: 6 }, () => openMachineBuyer(shared, 'base-mainnet')));
    const hires = buyers.map(async (buyer, n) => {
      const offer = await readOffer(shared, urls[n % 2] ?? '', serviceId, 'base-mainnet');
      return await requireHired(hireWith(urls[(n + 1) % 2] ?? '', serviceId, versionTwo(offer, await buyer.authorise(offer))));
    });
    assert.equal(new Set((await Promise.all(hires)).map(({ orderId }) => orderId)).size, 6);
  });

  test('behind a pooler an event committed by one process reaches the streams of the other within 500 ms', async (t) => {
    const [one, two] = urls;
    const provider = await openProvider(one);
    const buyer = await openBuyer(shared, 'base-mainnet');
    const serviceId = await listService(one, provider);
    const stream = await opened(await openStream(two, provider.headers, '?types=order.created'));
    const delays: number[] = [];
    for (let round = 0; round < 10; round++) delays.push(await reachedAfter(stream, () => placeOrder(one, serviceId, buyer)));
    stream.close();
    t.diagnostic(`ms after the answer: ${delays.map(Math.round).join(' ')}`);
    assert.ok(Math.max(...delays) < REACHES_WITHIN_MS, `${Math.max(...delays)} ms`);
  });

  test('behind a pooler two hundred parallel requests to two processes wait for a connection, and none fails', async () => {
    const agents = await Promise.all(Array.from({ length: 200 }, (_, n) => registerAgent(urls[n % 2] ?? '')));
    assert.equal(new Set(agents.map(({ id }) => id)).size, 200);
  });

  test('behind a pooler the only warning recommends DATABASE_DIRECT_URL, and the books are sound', async () => {
    for (const server of servers) {
      const lines = linesOf(server);
      assert.deepEqual(
        lines.filter(({ level }) => level >= 40).map(({ msg }) => /DATABASE_DIRECT_URL/.test(msg)),
        [true],
        server.log(),
      );
    }
    await requireSoundBooks(shared);
  });
});

suite('features that need a database session, through a pooler', () => {
  let pooler: Pooler;
  before(async () => {
    pooler = await startPgbouncer(postgres);
  });
  after(() => pooler.stop());

  test('DATABASE_DIRECT_URL receives notifications sent through the pooler, at once and without a warning', async () => {
    const settings = { DATABASE_URL: pooler.urlOf(postgres.database), DATABASE_DIRECT_URL: shared.settings['DATABASE_URL'] ?? '' };
    const [one, two] = await Promise.all([shared.startServer(settings), shared.startServer(settings)]);
    try {
      const agent = await registerAgent(one.url);
      const stream = await opened(await openStream(two.url, { authorization: `Bearer ${agent.key}` }));
      const body = { description: 'Now with a description that says more.' };
      const delay = await reachedAfter(stream, async () => {
        const response = await fetch(`${one.url}/api/agents/me`, {
          method: 'PATCH',
          headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        assert.equal(response.status, 200, await response.text());
      });
      stream.close();
      assert.ok(delay < REACHES_WITHIN_MS, `${delay} ms`);
      const { rows } = await shared.database.pool.query(
        `select count(*)::int as count from pg_stat_activity where application_name = 'market listener' and datname = current_database()`,
      );
      assert.deepEqual(rows, [{ count: 2 }]);
      for (const server of [one, two])
        assert.deepEqual(
          linesOf(server).filter(({ level }) => level >= 40),
          [],
          server.log(),
        );
    } finally {
      await Promise.all([one.kill('SIGKILL'), two.kill('SIGKILL')]);
    }
  });

  test('behind a pooler every transaction has its time limits, in any session', async () => {
    const database = open(pooler, 30);
    try {
      const seen = await Promise.all(
        Array.from({ length: 30 }, () =>
          database.transaction(async (tx) => {
            const { statement, idle } = await tx
              .selectNoFrom(({ fn, val }) => [
                fn<string>('current_setting', [val('statement_timeout')]).as('statement'),
                fn<string>('current_setting', [val('idle_in_transaction_session_timeout')]).as('idle'),
                fn<string>('pg_sleep', [val(0.05)]).as('slept'),
              ])
              .executeTakeFirstOrThrow();
            return `${statement} ${idle}`;
          }),
        ),
      );
      assert.deepEqual([...new Set(seen)], ['15s 30s']);
    } finally {
      await database.close();
    }
  });

  test('behind a pooler four processes migrate an empty database in parallel, and each migration is applied once', async () => {
    const empty = await createTestDatabase({ empty: true });
    const pools = Array.from({ length: 4 }, () => new pg.Pool({ connectionString: pooler.urlOf(empty.connection.database), max: 1 }));
    try {
      const results = await Promise.all(pools.map((pool) => migrate(pool, MIGRATIONS, () => undefined)));
      const applied = results.flatMap((result) => result.applied);
      const { rows } = await (pools[0] as pg.Pool).query<{ name: string }>('select name from schema_migrations order by version');
      assert.deepEqual(
        applied.sort(),
        rows.map(({ name }) => name),
      );
      assert.ok(applied.length > 20);
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
      await empty.drop();
    }
  });
});

suite('locks across processes, through a pooler with four connections', () => {
  let pooler: Pooler;
  let processes: readonly Database[];
  before(async () => {
    pooler = await startPgbouncer(postgres, { default_pool_size: '4' });
    processes = Array.from({ length: 8 }, () => open(pooler, 4));
  });
  after(async () => {
    await Promise.all(processes.map((database) => database.close()));
    await pooler.stop();
  });

  test('C05: a lock behind a pooler has one holder at a time, and waiters leave it enough connections to work', async () => {
    let holders = 0;
    let turns = 0;
    const takeTurn = async ({ pool }: Database): Promise<void> => {
      const lock = await holdLock(pool, 'a key');
      holders += 1;
      assert.equal(holders, 1);
      // The holder's work needs two more of the four connections.
      await Promise.all([pool.query('select 1'), pool.query('select 1')]);
      await sleep(20);
      holders -= 1;
      turns += 1;
      await lock.release();
    };
    await Promise.all(
      processes.map(async (database) => {
        for (let round = 0; round < 2; round++) await takeTurn(database);
      }),
    );
    assert.equal(turns, 16);
  });

  test('a lock behind a pooler ends with its holder’s connection, and is not inherited with the session', async () => {
    const [first, second] = processes as readonly [Database, Database];
    const held = await tryHoldLock(first.pool, 'the demo');
    assert.ok(held);
    assert.equal(await tryHoldLock(second.pool, 'the demo'), undefined);
    await shared.database.pool.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    await held.lost;
    await held.release();
    const next = await tryHoldLock(second.pool, 'the demo');
    assert.ok(next);
    await next.release();
    const again = await tryHoldLock(first.pool, 'the demo');
    assert.ok(again);
    await again.release();
  });
});

function open(pooler: Pooler, poolSize: number): Database {
  return openDatabase({ connection: { connectionString: pooler.urlOf(postgres.database) }, poolSize, onError: () => undefined });
}
