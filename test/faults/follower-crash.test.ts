/** kill -9 while a follower handles events: after a restart each event has had its effect once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { untilHandled } from '../harness/events.ts';
import { startServer, startServers } from '../harness/market.ts';
import { listService, openProvider, placeOrder } from '../harness/orders.ts';
import { baseWallet } from '../harness/people.ts';

const POINT = 'event.before_follower_commit';

test('a process that crashes before a follower commits loses no event and handles none twice', async (t) => {
  const shared = await startServers(1, { CRASH_AT: POINT });
  const pool = new pg.Pool({ ...shared.database.connection, max: 2 });
  t.after(async () => {
    await pool.end();
    await shared.close();
  });
  const [first] = shared.servers;
  assert.ok(first);
  const exit = new Promise((resolve) => first.child.once('exit', (_code, signal) => resolve(signal)));

  const provider = await openProvider(first.url);
  const serviceId = await listService(first.url, provider);
  assert.equal(await exit, 'SIGKILL');
  const { rows: queued } = await pool.query('select follower from event_queue');
  assert.deepEqual(queued, [{ follower: 'service_figures' }]);

  // It counts the service first, then dies at the order: in its figures or its notifications, whichever comes first.
  const second = await startServer({ ...shared.settings, CRASH_AT: `${POINT}:2` });
  const died = new Promise((resolve) => second.child.once('exit', (_code, signal) => resolve(signal)));
  const orderId = await placeOrder(second.url, serviceId, baseWallet());
  assert.equal(await died, 'SIGKILL');

  const third = await startServer({ ...shared.settings, CRASH_AT: '' });
  t.after(() => third.kill('SIGKILL'));
  await untilHandled(pool);
  const { rows } = await pool.query(
    `select (select services_count from agent_figures where agent_id = $1)::int as services,
       (select count(*)::int from notifications where order_id = $2) as notifications,
       (select count(distinct (event_id, coalesce(user_id, ''), coalesce(wallet, ''), coalesce(agent_id, '')))::int from notifications where order_id = $2) as recipients`,
    [provider.id, orderId],
  );
  const [found] = rows;
  assert.equal(found.services, 1);
  assert.ok(found.recipients > 0);
  assert.equal(found.notifications, found.recipients);
});
