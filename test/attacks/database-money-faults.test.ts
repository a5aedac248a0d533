/** PostgreSQL errors and cut connections during pay, approve, hire, settlement, claim and payout. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { failWrites, refusals } from '../harness/database-faults.ts';
import { call, type Reply } from '../harness/http.ts';
import { encode, type MachineBuyer, openMachineBuyer, readOffer } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { BRIEF, deliver, listService, openProvider, type Provider, payOrder, placeOrder, requireSoundBooks } from '../harness/orders.ts';
import { signed } from '../harness/people.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';
import { some } from '../harness/thoroughness.ts';

const NETWORK = 'base-mainnet';

/** A command about money, sent as the same request under the same key until it succeeds. */
interface Command {
  /** The table whose row the command writes. */
  readonly table: string;
  give(): Promise<Reply>;
  /** The count of the command's effects, which must be one. */
  readonly effects: string;
  readonly subject: () => Promise<string>;
}

suite('a database failure during money movements', () => {
  let market: TestMarket;
  let provider: Provider;
  let buyer: MachineBuyer;
  let serviceId: string;
  /** A connection that survives the cuts. */
  let outsider: pg.Client;
  before(async () => {
    market = await openMarket(withChains);
    provider = await openProvider(market.url);
    serviceId = await listService(market.url, provider, { price_usd: '1.00' });
    buyer = await openMachineBuyer(market, NETWORK);
    const { host, port, user, database } = market.database.pool.options;
    outsider = new pg.Client({ host, port, user, database });
    await outsider.connect();
  });
  after(async () => {
    await outsider?.end();
    await market.close();
  });

  async function ordered(orderId: string, table: string, effects: string, body: Record<string, unknown>): Promise<Command> {
    const request = { body: { ...body, ...(await signed(buyer)) }, headers: { 'idempotency-key': randomUUID() } };
    return { table, effects, subject: async () => orderId, give: () => call(market.url, `PATCH /api/orders/${orderId}`, request) };
  }

  async function preparePay(): Promise<Command> {
    const orderId = await placeOrder(market.url, serviceId, buyer);
    const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 1_000_000n);
    const effects = 'select count(*)::int as count from payment_claims where subject_id = $1';
    return await ordered(orderId, 'payment_claims', effects, { action: 'pay', escrow_tx_hash: reference, payment_chain: 'base' });
  }

  async function prepareApprove(): Promise<Command> {
    const orderId = await placeOrder(market.url, serviceId, buyer);
    await payOrder(market.url, orderId, buyer);
    assert.equal((await deliver(market.url, orderId, provider)).status, 200);
    const effects = 'select count(*)::int as count from settlements where order_id = $1';
    return await ordered(orderId, 'settlements', effects, { action: 'approve' });
  }

  /** A standard payment: once settled on chain it must lead to one order, however often the database fails. */
  async function prepareHire(): Promise<Command> {
    const offer = await readOffer(market, market.url, serviceId, NETWORK);
    const payment = encode({ x402Version: 2, accepted: offer, payload: await buyer.authorise(offer) });
    const request = { body: { brief: BRIEF }, headers: { 'payment-signature': payment, 'idempotency-key': randomUUID() } };
    let orderId = '';
    return {
      table: 'payment_claims',
      effects: 'select count(*)::int as count from payment_claims where subject_id = $1',
      subject: async () => orderId,
      async give() {
        const reply = await call(market.url, `POST /api/x402/pay?service_id=${serviceId}`, request);
        if (reply.status === 200) orderId = reply.body['data'].order_id;
        return reply;
      },
    };
  }

  const commands = [
    ['pay', preparePay],
    ['approve', prepareApprove],
    ['hire', prepareHire],
  ] as const;

  /** Counts of every row that money leaves; a refused command changes none. */
  async function readTraces(): Promise<unknown> {
    const { rows } = await outsider.query(
      `select (select count(*)::int from orders) as orders, (select count(*)::int from settlements) as settlements,
              (select count(*)::int from payouts) as payouts, (select count(*)::int from payment_claims) as claims,
              (select count(*)::int from order_steps) as steps`,
    );
    return rows[0];
  }

  async function requireOnce({ subject, effects }: Command, what: string): Promise<void> {
    const { rows } = await outsider.query(effects, [await subject()]);
    assert.equal(rows[0].count, 1, what);
  }

  /** Repeats until success. A request that was cut off holds its key until the lease ends; this ends the lease at once. */
  async function giveUntilDone({ give }: Command, what: string): Promise<Reply> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const reply = await give();
      if (reply.status === 200) return reply;
      assert.ok([503, 409].includes(reply.status), `${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
      if (reply.status === 409) assert.equal(reply.body['code'], 'idempotency_in_flight', what);
      await outsider.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
      await sleep(100);
    }
    assert.fail(`${what} was never done`);
  }

  for (const [name, prepare] of commands) {
    test(`C16, C17: ${name} answers 503 and changes nothing for ${refusals.length} kinds of database error; a retry has one effect`, async () => {
      const command = await prepare();
      const before = await readTraces();
      for (const [code, what] of refusals) {
        const mend = await failWrites(market.database.pool, command.table, code);
        try {
          const reply = await command.give();
          assert.deepEqual([reply.status, faultsOfRefusal(reply)], [503, []], `${what}: ${JSON.stringify(reply.body)}`);
        } finally {
          await mend();
        }
        assert.deepEqual(await readTraces(), before, what);
      }
      const done = await giveUntilDone(command, name);
      const again = await command.give();
      assert.deepEqual([again.status, again.body], [200, done.body]);
      await requireOnce(command, name);
    });

    for (const code of some(['40001', '40P01'], 1)) {
      test(`C16: ${name} is retried within the request when PostgreSQL answers ${code} a few times`, async () => {
        const command = await prepare();
        const mend = await failWrites(market.database.pool, command.table, code, '<= 3');
        try {
          assert.equal((await command.give()).status, 200);
        } finally {
          await mend();
        }
        await requireOnce(command, name);
      });
    }
  }

  test('C16, C17: payouts whose rows cannot be written wait, and are sent once after recovery', async () => {
    const approve = await prepareApprove();
    const mend = await failWrites(market.database.pool, 'outgoing_attempts', '53100');
    try {
      assert.equal((await giveUntilDone(approve, 'approve')).status, 200);
      await sleep(1_500);
    } finally {
      await mend();
    }
    await requirePaidOut();
  });

  test('C15: while every connection is cut, pay, approve and hire answer 503 or succeed, with one effect each', async () => {
    // One after the other, because they share a wallet, whose transfers have an order.
    const prepared: (readonly [string, Command])[] = [];
    for (const [name, prepare] of [...commands, ...commands]) prepared.push([name, await prepare()]);
    const hit: number[] = [];
    let isRunning = true;
    const cutting = (async () => {
      while (isRunning) {
        const { rowCount } = await outsider.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
        hit.push(rowCount ?? 0);
        await sleep(40);
      }
    })();
    const refusedReplies: Reply[] = [];
    const work = prepared.map(async ([name, command]) => {
      for (let attempt = 0; attempt < 6; attempt += 1) {
        const reply = await command.give();
        if (reply.status !== 200) refusedReplies.push(reply);
        assert.ok([200, 503, 409].includes(reply.status), `${name}: ${reply.status} ${JSON.stringify(reply.body)}`);
      }
    });
    await Promise.all(work);
    isRunning = false;
    await cutting;
    assert.ok(refusedReplies.length > 0, `no command was hit by ${hit.length} cuts: they prove nothing`);
    for (const [name, command] of prepared) {
      await giveUntilDone(command, name);
      await requireOnce(command, name);
    }
  });

  test('C15, C16: after the cuts every payout has arrived exactly once, and the audit is clean', async () => {
    await requirePaidOut();
    await requireSoundBooks(market);
  });

  async function requirePaidOut(): Promise<void> {
    let open = -1;
    for (let look = 0; look < 400 && open !== 0; look += 1) {
      const { rows } = await outsider.query(`select count(*)::int as open from payouts where state <> 'confirmed'`);
      open = rows[0].open;
      if (open !== 0) await sleep(150);
    }
    assert.equal(open, 0, 'payouts are still on their way');
    const { rows } = await outsider.query('select subject_id from payouts group by subject_id, purpose having count(*) > 1');
    assert.deepEqual(rows, []);
  }
});
