/** Acts in time that a restore lost: their deadline passes while nothing runs. Timers must not move money before they can be repeated. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hireBare, idOf } from '../harness/bare-transfers.ts';
import { claimBounty, postBounty } from '../harness/bounties.ts';
import { call } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { act, advanceClock, deliver, listService, openBuyer, openProvider, payOrder, placeOrder, readOrder } from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { chainOf, requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { holdsFor, pause, reconcile, startCompared, untilHurried } from './restored-stage.ts';

const NETWORK = 'base-mainnet';
/** The rest of the review when the backup is taken. */
const LEFT_SECONDS = 45;
const HOUR = 3_600;
const REVIEW_SECONDS = 48 * HOUR;
/** Longer than any deadline. */
const OUTAGE_HOURS = 40 * 24;

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B08: an order whose dispute a restore lost is not released at the start because its review ended meanwhile', async () => {
  const first = await startCompared(shared);
  const provider = await openProvider(first.url, NETWORK);
  const service = await listService(first.url, provider, { price_usd: '5.00' });
  const buyer = await openBuyer(shared, NETWORK);
  const id = await placeOrder(first.url, service, buyer);
  await payOrder(first.url, id, buyer, 'final');
  assert.equal((await deliver(first.url, id, provider)).status, 200);
  await advanceClock(first.url, REVIEW_SECONDS - LEFT_SECONDS);
  const over = performance.now() + (LEFT_SECONDS + 3) * 1000;
  const received = async () => (await chainOf(shared, NETWORK).readBalances(provider.owner.address)).usdcMicros;
  const had = await received();
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  const disputed = await act(lost.url, id, buyer, 'dispute', { reason: 'The result is an empty page, and nothing was proofread.' });
  assert.equal(disputed.status, 200, JSON.stringify(disputed.body));
  assert.equal((await readOrder(lost.url, id, buyer)).order.status, 'disputed');
  await lost.kill('SIGTERM');
  await backup.restore();

  // The outage lasts until the review would have ended.
  while (performance.now() < over) await pause(500);
  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  const second = await shared.startServer();
  await holdsFor(shared, 40_000, async () =>
    assert.equal(await received(), had, 'the provider is paid at once, although the buyer had disputed'),
  );
  const again = await act(second.url, id, buyer, 'dispute', { reason: 'The result is an empty page, and nothing was proofread.' });
  assert.equal(again.status, 200, JSON.stringify(again.body));
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});

test('B08: every open deadline gets a grace period when a restore is noticed, also by two processes at once; missed ones stay missed', async () => {
  const first = await startCompared(shared);
  const [provider, claimant, thief] = [
    await openProvider(first.url, NETWORK),
    await openProvider(first.url, NETWORK),
    await openProvider(first.url, NETWORK),
  ];
  const sell = (more: Record<string, unknown>, by = provider) =>
    listService(first.url, by, { price_usd: '5.00', turnaround_hours: 24, ...more });
  const [service, bait, period] = [await sell({}), await sell({ price_usd: '4.545454' }, thief), await sell({ price_type: 'weekly' })];
  const buyer = await openBuyer(shared, NETWORK);
  const order = async (of = service): Promise<string> => {
    const id = await placeOrder(first.url, of, buyer);
    await payOrder(first.url, id, buyer, 'final');
    return id;
  };
  const late = await order();
  await advanceClock(first.url, 25 * HOUR);
  const [undelivered, revised, disputed, workspace] = [await order(), await order(), await order(), await order(period)];
  for (const id of [revised, disputed]) assert.equal((await deliver(first.url, id, provider)).status, 200);
  assert.equal((await act(first.url, revised, buyer, 'revision', { feedback: 'Please explain every change, as agreed.' })).status, 200);
  assert.equal(
    (await act(first.url, disputed, buyer, 'dispute', { reason: 'The result is an empty page, and nothing was proofread.' })).status,
    200,
  );
  const asked = await call(first.url, `POST /api/orders/${workspace}/generate`, {
    headers: asHeaders(await signed(buyer)),
    body: { prompt: 'One more of these.' },
  });
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const bounty = await postBounty(first.url, buyer, { claim_window_hours: 6 });
  await claimBounty(first.url, bounty.id, claimant);
  const payer = await openBuyer(shared, NETWORK);
  const stolenFrom = await payer.payer.pay(chainOf(shared, NETWORK).treasury, 5_500_000n);
  const stolen = idOf(await hireBare(first.url, bait, NETWORK, stolenFrom, 'All of it for me.'));
  const wanted = await placeOrder(first.url, service, payer);
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();
  const before = await readEnds();
  await backup.restore();
  await query('update market_clock set offset_ms = offset_ms + $1', [OUTAGE_HOURS * HOUR * 1000]);
  await query(`update outflow_cursors set checked_at = checked_at - make_interval(hours => $1)`, [OUTAGE_HOURS]);

  const began = Date.now();
  const [second, third] = await startTogether();
  await holdsFor(shared, 15_000, async () => {
    const { rows } = await query(
      `select id, status from orders union all select id, status from bounties union all select id, status from bounty_claims`,
    );
    const moved = rows.filter(({ id, status }) => id in before.statuses && before.statuses[id] !== status);
    assert.deepEqual(moved, [], 'timers moved what people may have done in time');
  });
  const ends = await readEnds();
  const graces = Object.entries(ends.times).map(
    ([name, end]) => [name, Math.round((end - ends.now + Date.now() - began) / 1000 / HOUR)] as const,
  );
  for (const [name, hours] of graces) {
    if (name === `${late} due_at`)
      assert.equal(ends.times[name], before.times[name], 'a promise that was broken before the backup stays broken');
    else assert.ok(hours >= 24 && hours <= 48, `${name} leaves ${hours} hours`);
  }
  assert.equal(new Map(graces).get(`${undelivered} delivery_deadline`), 48, 'the time after the promised one stays');
  // Every kind except the review, which the first test checks.
  assert.equal(new Set(graces.map(([name]) => name.split(' ')[1])).size, 10, Object.keys(ends.times).join());
  const told = await query(`select wallet, count(*)::int as notices from notifications where type = 'market_restored' group by wallet`);
  const notices = new Map(told.rows.map(({ wallet, notices: count }) => [String(wallet).toLowerCase(), count]));
  for (const { address } of [buyer, payer, provider.owner]) assert.equal(notices.get(address.toLowerCase()), 1, address);

  // The lost acts are repeated.
  assert.equal((await deliver(second.url, undelivered, provider)).status, 200);
  assert.equal((await deliver(third.url, revised, provider)).status, 200);
  const contest = await act(second.url, wanted, payer, 'pay', { escrow_tx_hash: stolenFrom, payment_chain: 'base' });
  assert.equal(contest.status, 200, JSON.stringify(contest.body));
  assert.equal((await readOrder(second.url, stolen, payer)).order.status, 'cancelled');
  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  await requireSound(shared.money);

  // A process that kept running during the restore runs no timer of the restored books.
  await query(`update known_place set place = 'elsewhere'`);
  await advanceClock(second.url, 25 * HOUR);
  await holdsFor(shared, 6_000, async () => assert.equal((await readOrder(second.url, late, buyer)).order.status, 'paid'));
  await query('update known_place set place = database_place()');
  await untilHurried(shared, 'the timers of the moved deadlines', async () => {
    const { rows } = await query(
      `select id, status from orders where id = any($1) union all select id, status from bounties where id = $2`,
      [[late, workspace], bounty.id],
    );
    const now = Object.fromEntries(rows.map(({ id, status }) => [id, status]));
    return now[late] === 'cancelled' && now[workspace] === 'delivered' && now[bounty.id] === 'expired' ? true : undefined;
  });
  for (const server of [second, third]) await server.kill('SIGTERM');
});

const query = async (statement: string, values: unknown[] = []) => await shared.database.pool.query(statement, values);

interface Ends {
  readonly now: number;
  /** Times by subject and column. */
  readonly times: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, string>>;
}

/** Every open deadline of a person. */
async function readEnds(): Promise<Ends> {
  const { rows } = await query(`
    select name, end_at, status, market_now() as now from (
      select id || ' delivery_deadline' as name, delivery_deadline as end_at, id, status from orders where status in ('paid', 'in_progress')
      union all select id || ' due_at', due_at, id, status from orders where status in ('paid', 'in_progress')
      union all select id || ' review_deadline', review_deadline, id, status from orders where status = 'delivered'
      union all select id || ' revision_deadline', revision_deadline, id, status from orders where status = 'revision_requested'
      union all select id || ' workspace_ends_at', workspace_ends_at, id, status from orders where status = 'in_progress'
      union all select d.id || ' evidence_until', evidence_until, o.id, o.status from disputes d join orders o on o.id = d.order_id where state = 'open'
      union all select d.id || ' ruling_due', ruling_due, o.id, o.status from disputes d join orders o on o.id = d.order_id where state = 'open'
      union all select d.id || ' answer_by', answer_by, o.id, o.status from deliverables d join orders o on o.id = d.order_id where d.status = 'pending'
      union all select id || ' expires_at', expires_at, id, status from bounties where status = 'open'
      union all select id || ' lapses_at', lapses_at, id, status from bounty_claims where status = 'pending'
      union all select reference || ' contestable_until', contestable_until, o.id, o.status from payment_claims c join orders o on o.id = c.subject_id
    ) e where end_at is not null`);
  return {
    now: rows[0]?.now.getTime(),
    times: Object.fromEntries(rows.map(({ name, end_at: end }) => [name, end.getTime()])),
    statuses: Object.fromEntries(rows.map(({ name, status }) => [String(name).split(' ')[0], status])),
  };
}

/** Starts two processes that both notice the restore before either has moved anything. */
async function startTogether(): Promise<[ServerProcess, ServerProcess]> {
  const client = await shared.database.pool.connect();
  await client.query('begin; select 1 from known_place for update');
  const starting = Promise.all([shared.startServer(), shared.startServer()]);
  try {
    await until('both processes waiting', async () => {
      const { rows } = await query(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return rows.length === 2 ? true : undefined;
    });
  } finally {
    await client.query('rollback');
    client.release();
  }
  return await starting;
}
