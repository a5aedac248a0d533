/** Parallel commands on two server processes: every order takes one path, and its history matches the answers. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { escrow, readBalance, unmatched } from '../../packages/server/src/features/ledger/index.ts';
import type { Reply } from '../harness/http.ts';
import { advanceClock } from '../harness/orders.ts';
import { isThorough, times } from '../harness/thoroughness.ts';
import { requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import {
  buyerDoes,
  deliver,
  inTurns,
  openOrders,
  openTrade,
  placeOrder,
  providerDoes,
  quote,
  sendPayments,
  start,
  submitPayment,
  type Trade,
} from './many-orders.ts';

const ROUNDS_AT_ONCE = 10;
const DELIVERED_ROUNDS = times(12, 120);
const PAID_ROUNDS = times(8, 80);
const PAYMENT_ROUNDS = times(2, 10);
/** Null leaves the deadline far away, so that only commands race. */
const REVIEW_ENDS_WITHIN_MS = [null, 50, 400] as const;
const EXPIRES_WITHIN_MS = 100;
const ONE_DAY_SECONDS = 24 * 3600;

type Command = (url: string, trade: Trade, orderId: string) => Promise<Reply>;
const commands = {
  approve: (url, trade, id) => buyerDoes(url, trade, id, 'approve'),
  dispute: (url, trade, id) => buyerDoes(url, trade, id, 'dispute', { reason: 'Not what was agreed.' }),
  revision: (url, trade, id) => buyerDoes(url, trade, id, 'revision', { feedback: 'Once more.' }),
  cancel: (url, trade, id) => buyerDoes(url, trade, id, 'cancel'),
  refund: (url, trade, id) => providerDoes(url, trade, id, 'refund'),
  start,
  deliver,
} as const satisfies Record<string, Command>;
type CommandName = keyof typeof commands;

interface Step {
  readonly command: string;
  readonly to: string;
}

suite('commands sent in parallel to one order through two processes', () => {
  let shared: SharedMoney;
  let urls: readonly [string, string];
  let trade: Trade;
  before(async () => {
    shared = await openSharedMoney({ ownChains: true });
    const [one, two] = await Promise.all([shared.startServer(), shared.startServer()]);
    urls = [one.url, two.url];
    trade = await openTrade(shared, one.url);
  });
  after(() => shared.close());

  const either = (n: number) => urls[n % 2] ?? '';
  const open = (count: number, upTo: 'paid' | 'delivered') => openOrders(shared, urls[0], trade, count, upTo);

  async function stepsOf(orderId: string): Promise<Step[]> {
    const text = 'select command, to_status as to from order_steps where order_id = $1 order by number';
    return (await shared.database.pool.query<Step>(text, [orderId])).rows;
  }

  /** Sends these commands at once, in random order, to both processes; returns which were granted and how others were refused. */
  async function fire(orderId: string, names: readonly CommandName[], round: number) {
    const replies = await Promise.all(
      shuffled(names).map(async (name, index) => ({ name, reply: await commands[name](either(round + index), trade, orderId) })),
    );
    for (const { name, reply } of replies) assert.ok([200, 400].includes(reply.status), `${name}: ${JSON.stringify(reply.body)}`);
    return {
      granted: replies.filter(({ reply }) => reply.status === 200).map(({ name }) => name),
      refusals: replies.filter(({ reply }) => reply.status === 400).map(({ reply }) => String(reply.body['code'])),
    };
  }

  /** Moves the order's deadline to within so many milliseconds, about when the commands arrive. */
  async function runOutWithin(ms: number, orderId: string, column: 'review_deadline' | 'delivery_deadline', timer: string): Promise<void> {
    await shared.database.pool.query(
      `with moved as (update orders set ${column} = market_now() + $2 * interval '1 ms' where id = $1 returning ${column} as at),
            woken as (select pg_notify('market_jobs', ''))
       update jobs set run_at = moved.at from moved, woken where payload->>'order_id' = $1 and payload->>'command' = $3`,
      [orderId, Math.round(Math.random() * ms), timer],
    );
  }

  async function untilSteps(orderId: string, count: number): Promise<Step[]> {
    return await until(`step ${count} of ${orderId}`, async () => {
      const steps = await stepsOf(orderId);
      return steps.length >= count ? steps : undefined;
    });
  }

  test(`M23, R01, R02: of approve, dispute, cancel, revision and the automatic release of an order exactly one wins, ${DELIVERED_ROUNDS} rounds`, async () => {
    const orders = await open(DELIVERED_ROUNDS, 'delivered');
    // A review lasts at least a day, so only now can its deadline be moved to the moment.
    await advanceClock(urls[0], ONE_DAY_SECONDS);
    const winners = await inTurns(orders, ROUNDS_AT_ONCE, async (orderId, round) => {
      const clock = REVIEW_ENDS_WITHIN_MS[round % REVIEW_ENDS_WITHIN_MS.length] ?? null;
      if (clock !== null) await runOutWithin(clock, orderId, 'review_deadline', 'auto_release');
      const names = ['approve', 'dispute', 'cancel', 'revision', 'approve', 'dispute', 'revision'] as const;
      const { granted, refusals } = await fire(orderId, names, round);
      // If no command was in time, the automatic release follows.
      const steps = (await untilSteps(orderId, 4)).slice(3).map(({ command }) => command);
      assert.equal(steps.length, 1, `${orderId} took ${steps.join(', ')}`);
      assert.deepEqual(granted, steps[0] === 'auto_release' ? [] : steps, `${orderId} answered what happened`);
      for (const code of refusals) assert.ok(['illegal_transition', 'review_window_over'].includes(code), code);
      return steps[0] ?? '';
    });
    const won = Map.groupBy(winners, (winner) => winner);
    const contenders = ['approve', 'dispute', 'revision', 'auto_release'];
    for (const winner of won.keys()) assert.ok(contenders.includes(winner), winner);
    // In a few rounds not every command needs to win.
    if (isThorough) for (const contender of contenders) assert.ok(won.has(contender), `${contender} never won`);
    assert.ok(won.size > 1, 'it was no race');
  });

  test(`R05: of cancel and deliver, start, refund or expiry of an order exactly one wins, ${PAID_ROUNDS} rounds`, async () => {
    const rivals = ['deliver', 'start', 'refund', 'expire'] as const;
    const orders = await open(PAID_ROUNDS, 'paid');
    const winners = await inTurns(orders, ROUNDS_AT_ONCE, async (orderId, round) => {
      const rival = rivals[round % rivals.length] ?? 'deliver';
      if (rival === 'expire') await runOutWithin(EXPIRES_WITHIN_MS, orderId, 'delivery_deadline', 'expire');
      const { granted, refusals } = await fire(orderId, rival === 'expire' ? ['cancel', 'cancel'] : ['cancel', rival, 'cancel'], round);
      const steps = (await untilSteps(orderId, 3)).slice(2).map(({ command }) => command);
      assert.equal(steps.length, 1, `${orderId} took ${steps.join(', ')}`);
      assert.deepEqual(granted, steps[0] === 'expire' ? [] : steps);
      assert.deepEqual(new Set(refusals), new Set(['illegal_transition']));
      return steps[0] ?? '';
    });
    assert.ok(new Set(winners).size >= times(1, 4), `only ${[...new Set(winners)].join(', ')} ever won`);
  });

  test('all commands sent at once to a paid order: each accepted one is a step, in a legal sequence', async () => {
    const orders = await open(times(3, 20), 'paid');
    await inTurns(orders, ROUNDS_AT_ONCE, async (orderId, round) => {
      const { granted } = await fire(orderId, ['cancel', 'deliver', 'start', 'refund', 'deliver', 'approve', 'dispute'], round);
      const steps = await stepsOf(orderId);
      assert.deepEqual(
        granted.sort(),
        steps
          .slice(2)
          .map(({ command }) => command)
          .sort(),
      );
    });
  });

  test('the same payment of an order in twenty requests succeeds each time, and is claimed once', async () => {
    const [reference = ''] = await sendPayments(shared, trade, 1, 'confirmed');
    const orderId = await placeOrder(urls[0], trade);
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => submitPayment(either(n), trade, orderId, reference)));
    for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      (await stepsOf(orderId)).map(({ command }) => command),
      ['place', 'pay'],
    );
    const { rowCount } = await shared.database.pool.query('select 1 from payment_claims where subject_id = $1', [orderId]);
    assert.equal(rowCount, 1);
    assert.equal(await readBalance(shared.database.db, escrow('base-mainnet', orderId)), USDC);
  });

  const isUnmatched = async (reference: string, micros: bigint): Promise<true | undefined> =>
    (await readBalance(shared.database.db, unmatched('base-mainnet', reference))) === micros ? true : undefined;

  test('M01: one payment for two orders pays for one of them', async () => {
    const references = await sendPayments(shared, trade, PAYMENT_ROUNDS, 'confirmed');
    await inTurns(references, 5, async (reference) => {
      const orders = await Promise.all([placeOrder(urls[0], trade), placeOrder(urls[1], trade)]);
      const replies = await Promise.all(orders.map((orderId, n) => submitPayment(either(n), trade, orderId, reference)));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
    });
  });

  test('M16: of two payments for one order one is claimed, the other stays unmatched', async () => {
    const references = await sendPayments(shared, trade, 2 * PAYMENT_ROUNDS, 'confirmed');
    await inTurns([...Array(PAYMENT_ROUNDS).keys()], 5, async (round) => {
      const pair = references.slice(2 * round, 2 * round + 2);
      const orderId = await placeOrder(urls[0], trade);
      const replies = await Promise.all(pair.map((reference, n) => submitPayment(either(n), trade, orderId, reference)));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
      // A payment for an order that was already paid was not read; the watcher finds it.
      const waiting = pair.filter((_reference, n) => replies[n]?.status !== 200);
      for (const reference of waiting) await until('the unclaimed payment', async () => await isUnmatched(reference, USDC));
      for (const reference of pair) if (!waiting.includes(reference)) assert.equal(await isUnmatched(reference, 0n), true);
    });
  });

  test('M24: after pay and cancel at once the payment is claimed and refunded, or stays unmatched', async () => {
    const references = await sendPayments(shared, trade, 2 * PAYMENT_ROUNDS, 'confirmed');
    await inTurns(references, ROUNDS_AT_ONCE, async (reference, round) => {
      const orderId = await placeOrder(urls[0], trade);
      const [paid, cancelled] = await Promise.all([
        submitPayment(either(round), trade, orderId, reference),
        buyerDoes(either(round + 1), trade, orderId, 'cancel'),
      ]);
      assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body));
      assert.equal((await stepsOf(orderId)).at(-1)?.to, 'cancelled');
      const { rows } = await shared.database.pool.query(`select 1 from settlements where order_id = $1 and outcome = 'refund'`, [orderId]);
      assert.equal(rows.length, paid.status === 200 ? 1 : 0);
      const waiting = paid.status === 200 ? 0n : USDC;
      await until('the books to know of the transfer', async () =>
        (await readBalance(shared.database.db, unmatched('base-mainnet', reference))) === waiting ? true : undefined,
      );
    });
  });

  test('ten deliveries at once make ten rounds, and the last one counts', async () => {
    const [orderId = ''] = await open(1, 'paid');
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => deliver(either(n), trade, orderId, { content: `Version ${n}.` })),
    );
    for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body));
    const { rows } = await shared.database.pool.query('select round, status from deliverables where order_id = $1 order by round', [
      orderId,
    ]);
    assert.deepEqual(
      rows,
      Array.from({ length: 10 }, (_, n) => ({ round: n + 1, status: n === 9 ? 'completed' : 'superseded' })),
    );
  });

  test('eight quotes at once replace each other one by one, and the last one is the price', async () => {
    const quoted = await openTrade(shared, urls[0], { service: { price_type: 'quote' } });
    const orderId = await placeOrder(urls[0], quoted);
    const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => quote(either(n), quoted, orderId, `${n + 1}.00`)));
    for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body));
    const { rows } = await shared.database.pool.query(
      `select o.price_micros as price, o.fee_micros as fee, s.note from orders o
       join order_steps s on s.order_id = o.id and s.command = 'quote' where o.id = $1 order by s.number`,
      [orderId],
    );
    assert.equal(rows.length, 8);
    const { price, fee, note } = rows.at(-1);
    assert.deepEqual([note, fee], [`${price / USDC}.00 USDC`, price / 10n]);
  });

  test('M23: after the races no order was both paid out and refunded, and the books are sound', async () => {
    const both = await shared.database.pool.query(
      `select subject_id from payouts where purpose in ('payout', 'refund') and state <> 'void' group by 1 having count(distinct purpose) > 1`,
    );
    assert.deepEqual(both.rows, []);
    await requireSound(shared.money);
  });
});

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
