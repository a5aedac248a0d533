/** Closings on two processes: at the same moment as an order or a sign-in, and cut short by kill -9. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { openFamily, type ProcessFamily } from '../faults/market-processes.ts';
import { registerAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { listService } from '../harness/orders.ts';
import { baseWallet, signed, tokenFor } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';

const RACES = times(6, 40);
/** Lets an account close without a wait. */
const AT_ONCE = { PAYOUT_CHANGE_DELAY_HOURS: '0' };
const POINTS = ['closing.before_connections', 'closing.before_commit'];

suite('closings on two processes', () => {
  let shared: ProcessFamily;
  let pool: pg.Pool;
  let [first, second] = [] as unknown as [ServerProcess, ServerProcess];
  before(async () => {
    shared = await openFamily();
    [first, second] = await Promise.all([shared.start(AT_ONCE), shared.start(AT_ONCE)]);
    pool = new pg.Pool({ connectionString: shared.databaseUrl });
  });
  after(async () => {
    await pool.end();
    await shared.close();
  });

  let people = 0;
  async function openSeller() {
    people += 1;
    const key = await tokenFor(first.url, { email: `racer-${people}@example.com`, name: `Racer ${people}` });
    const { user } = await expectCall(first.url, 200, 'POST /api/auth/user', { key });
    const agent = await registerAgent(first.url, {}, { key });
    const service = await listService(first.url, { ...agent, headers: { authorization: `Bearer ${agent.key}` } });
    return { key, id: user.idp_user_id as string, agent, service };
  }

  test('Y10: of an order and a closing of its agent at the same moment one happens', async () => {
    for (let round = 0; round < RACES; round++) {
      const { key, agent, service } = await openSeller();
      const body = { service_id: service, brief: 'Proofread the attached page.', ...(await signed(baseWallet())) };
      const [placed, closed] = await Promise.all([
        call(first.url, 'POST /api/orders', { body }),
        call(second.url, `POST /api/agents/${agent.id}/close`, { key, body: {} }),
      ]);
      const both = `${placed.status} ${closed.status}`;
      assert.ok(['200 409', '404 200', '409 200'].includes(both), `${both} ${JSON.stringify(placed.body)} ${JSON.stringify(closed.body)}`);
      const { rows } = await pool.query(
        `select (select count(*)::int from orders where provider_agent_id = $1) as orders, closed_at is not null as closed from agents where id = $1`,
        [agent.id],
      );
      assert.deepEqual(rows[0], { orders: placed.status === 200 ? 1 : 0, closed: closed.status === 200 });
    }
  });

  test('Y10: an order under way while its agent closes is refused, not stored', async () => {
    const { agent, service } = await openSeller();
    const closing = await pool.connect();
    try {
      await closing.query('begin');
      await closing.query('select id from agents where id = $1 for update', [agent.id]);
      const body = { service_id: service, brief: 'Proofread the attached page.', ...(await signed(baseWallet())) };
      const placing = call(first.url, 'POST /api/orders', { body });
      await until('the order waits', async () => {
        const { rows } = await pool.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`);
        return rows.length > 0 ? true : undefined;
      });
      await closing.query('update agents set closed_at = market_now(), active = false, owner_user_id = null where id = $1', [agent.id]);
      await closing.query('commit');
      const placed = await placing;
      assert.deepEqual([placed.status, placed.body['code']], [409, 'agent_closed']);
    } finally {
      closing.release();
    }
  });

  test('Y10: a sign-in and a closing at the same moment leave a closed account, and at most one new and empty one', async () => {
    for (let round = 0; round < RACES; round++) {
      const { key, id } = await openSeller();
      const [closed, ...signedIn] = await Promise.all([
        call(second.url, 'POST /api/account/close', { key, body: { close_agents: true } }),
        call(first.url, 'POST /api/auth/user', { key }),
        call(second.url, 'POST /api/auth/user', { key }),
      ]);
      assert.equal(closed.status, 200, JSON.stringify(closed.body));
      for (const { status } of signedIn) assert.equal(status, 200);
      const { rows } = await pool.query(
        `select id, bio, (select count(*)::int from agents where owner_user_id = users.id) as agents from users where id = $1`,
        [id],
      );
      assert.ok(rows.length <= 1);
      for (const row of rows) assert.deepEqual(row, { id, bio: null, agents: 0 });
    }
  });

  for (const point of POINTS) {
    test(`Y10, C01: a process that dies at ${point} closes nothing, and the next call closes everything`, async () => {
      const { key, id, agent } = await openSeller();
      const dying = await shared.start({ ...AT_ONCE, CRASH_AT: point, JOBS: 'off' });
      await assert.rejects(call(dying.url, 'POST /api/account/close', { key, body: { close_agents: true } }));
      await until('its death', async () => (dying.child.signalCode === 'SIGKILL' ? true : undefined));
      assert.equal((await call(first.url, 'GET /api/auth/user', { key })).status, 200);
      assert.equal((await call(first.url, 'GET /api/agents/me', { key: agent.key })).status, 200);
      await expectCall(first.url, 200, 'POST /api/account/close', { key, body: { close_agents: true } });
      const { rows } = await pool.query('select count(*)::int as left from users where id = $1', [id]);
      assert.equal(rows[0]?.left, 0);
      assert.equal((await call(first.url, 'GET /api/agents/me', { key: agent.key })).status, 401);
    });
  }
});
