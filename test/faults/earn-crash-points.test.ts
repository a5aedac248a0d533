/** kill -9 at every crash point of Earn: the next process finishes the work, and shares and USDC move exactly once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { fundWallet, type OwnedAgent, openOwnedAgent } from '../agent-wallets/stage.ts';
import { giveUnits } from '../earn/many-wallets.ts';
import {
  balanceOf,
  type Depositor,
  deposited,
  type EarnMarket,
  LEND,
  openSigner,
  positionOf,
  register,
  steer,
  transfer,
  untilStatus,
  withdraw,
} from '../earn/stage.ts';
import { openAdmin } from '../harness/disputes.ts';
import { call, type Reply } from '../harness/http.ts';
import type { ServerProcess, Settings } from '../harness/market.ts';
import { isThorough, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { EARN_POINTS, pointsToDieAt } from './crash-points.ts';

const USDC = 1_000_000n;
const AMOUNT = 150;
const DEPOSIT_DEATHS = pointsToDieAt(EARN_POINTS.deposit, ['outgoing.after_store']);
const WITHDRAWAL_DEATHS = pointsToDieAt(EARN_POINTS.withdraw, ['outgoing.after_store']);

suite('a process that crashes while it moves money of Earn', () => {
  let shared: SharedMoney;
  let desk: ServerProcess;
  let market: EarnMarket;
  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    // Serves requests without jobs.
    desk = await shared.startServer({ JOBS: 'off' });
    market = { url: desk.url, chains: shared.chains, localChains: shared.localChains };
  });
  after(() => shared.close());

  const count = async (text: string, values: unknown[] = []) => Number((await shared.database.pool.query(text, values)).rows[0].count);

  async function dieAt(point: string, give: (url: string) => Promise<Reply>): Promise<void> {
    const server = await shared.startServer({ CRASH_AT: point, JOBS: 'off' });
    const reply = await give(server.url).catch((error: unknown) => {
      assert.ok(error instanceof TypeError, String(error));
      return undefined;
    });
    await until(`death at ${point}`, async () => (hasEnded(server) ? true : undefined), 20).catch((error: unknown) => {
      throw new Error(`${point} was not reached: ${JSON.stringify(reply?.body)} ${server.log()}`, { cause: error });
    });
    assert.equal(server.child.signalCode, 'SIGKILL', point);
    await forgetLeases(shared);
    await shared.database.pool.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
  }

  /** Starts a server with jobs that dies at the crash point. */
  async function dieWorking(point: string, settings: Settings = {}): Promise<void> {
    const server = await shared.startServer({ CRASH_AT: point, ...settings }).catch((error: Error) => {
      assert.match(error.message, /ended with null before it was ready/, point);
      return undefined;
    });
    if (server !== undefined) await until(`death at ${point}`, async () => (hasEnded(server) ? true : undefined));
    await forgetLeases(shared);
  }

  test('C24: Earn deposits that crashed at any point are minted once', async () => {
    const crashed: { depositor: Depositor; reference: string; point: string }[] = [];
    for (const point of DEPOSIT_DEATHS) {
      const depositor = await openSigner(market, 1_000n * USDC);
      const reference = await transfer(depositor, BigInt(AMOUNT) * USDC, 'final');
      const body = { amount_usd: AMOUNT, incoming_tx_hash: reference, key: LEND };
      await dieAt(point, (url) => register({ url }, depositor, body));
      crashed.push({ depositor, reference, point });
    }
    const healthy = await Promise.all(Array.from({ length: times(1, 2) }, () => shared.startServer()));
    for (const { depositor, reference, point } of crashed) {
      const [one] = healthy;
      assert.ok(one);
      const reply = await register(one, depositor, { amount_usd: AMOUNT, incoming_tx_hash: reference, key: LEND });
      assert.equal(reply.status, 200, `${point}: ${JSON.stringify(reply.body)}`);
      await untilStatus(one, depositor, reply.body['data'].deposit_id, 'deployed');
      assert.equal((await positionOf(one, depositor))?.['principal_usd'], `${AMOUNT}.000000`, point);
    }
    await Promise.all(healthy.map((server) => server.kill('SIGTERM')));
    assert.equal(await count(`select count(*) from earn_deposits where status = 'deployed'`), crashed.length);
    await requireSound(shared.money);
  });

  test('C24: a refused Earn deposit that crashed is refunded once', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const refused = await openSigner(market, 1_000n * USDC);
    const reference = await transfer(refused, BigInt(AMOUNT) * USDC);
    const body = { amount_usd: AMOUNT, incoming_tx_hash: reference, key: LEND };
    await dieAt('earn.after_claim', (url) => register({ url }, refused, body));
    await steer(market, LEND, 'pause');
    await dieWorking(EARN_POINTS.refund);
    const server = await shared.startServer();
    const { rows } = await shared.database.pool.query('select id from earn_deposits where reference = $1', [reference]);
    await untilStatus(server, refused, rows[0].id, 'refunded');
    assert.equal(await balanceOf(refused), 1_000n * USDC);
    await steer(market, LEND, 'resume');
    await server.kill('SIGTERM');
    await requireSound(shared.money);
  });

  test('Earn withdrawals that crashed at any point are paid once', async () => {
    const people: { depositor: Depositor; key: string; had: bigint; point: string }[] = [];
    for (const point of WITHDRAWAL_DEATHS) {
      const depositor = await openSigner(market, 1_000n * USDC);
      await deposited(market, depositor, AMOUNT, LEND, 'final');
      people.push({ depositor, key: randomUUID(), had: await balanceOf(depositor), point });
    }
    const order = (url: string, { depositor, key }: { depositor: Depositor; key: string }) =>
      withdraw({ url }, depositor, { all: true, key: LEND }, { 'idempotency-key': key });
    for (const person of people) await dieAt(person.point, (url) => order(url, person));
    if (isThorough) await dieWorking(EARN_POINTS.settle);
    const server = await shared.startServer();
    for (const person of people) {
      const reply = await order(server.url, person);
      assert.equal(reply.status, 200, `${person.point}: ${JSON.stringify(reply.body)}`);
      const done = await untilStatus(server, person.depositor, reply.body['data'].withdrawal_id, 'settled');
      const received = (await balanceOf(person.depositor)) - person.had;
      assert.equal((Number(received) / 1e6).toFixed(6), done['amount_usd'], person.point);
    }
    assert.equal(await count('select count(*) from earn_withdrawals'), people.length);
    await server.kill('SIGTERM');
    await requireSound(shared.money);
  });

  test('R12, Y05: Earn withdrawals of one owner at two processes at once join, burn each share once and are paid once', async () => {
    const other = await shared.startServer({ JOBS: 'off' });
    const depositor = await openSigner(market, 1_000n * USDC);
    await deposited(market, depositor, AMOUNT, LEND, 'final');
    const [had, held] = [await balanceOf(depositor), BigInt(String((await positionOf(market, depositor))?.['shares']))];
    const body = { shares: String(held / 8n), key: LEND };
    const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => withdraw(n % 2 === 0 ? other : market, depositor, body)));
    for (const reply of replies) assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const ids = [...new Set(replies.map(({ body: answer }) => String(answer['data'].withdrawal_id)))];
    assert.ok(ids.length < 8, 'those that met an open one joined it');
    const burned = await count('select sum(shares) as count from earn_withdrawals where id = any($1)', [ids]);
    assert.equal(BigInt(burned), 8n * (held / 8n));
    await other.kill('SIGTERM');
    const server = await shared.startServer();
    let paid = 0;
    for (const id of ids) paid += Number((await untilStatus(server, depositor, id, 'settled'))['amount_usd']);
    assert.equal((Number((await balanceOf(depositor)) - had) / 1e6).toFixed(6), paid.toFixed(6));
    await server.kill('SIGTERM');
    await requireSound(shared.money);
  });

  test('Y07: an Earn harvest whose recognition crashed is recognised once', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const depositor = await openSigner(market, 1_000n * USDC);
    await deposited(market, depositor, AMOUNT, LEND, 'final');
    await giveUnits(depositor, 10n * USDC);
    const recognise = async (url: string) =>
      await call(url, `PATCH /api/admin/earn/vaults/${encodeURIComponent(LEND)}`, {
        key: await openAdmin(url),
        body: { recognise: 'harvest', reason: 'A test of crashes.' },
      });
    await dieAt(EARN_POINTS.recognise, recognise);
    assert.equal(await count('select count(*) from earn_harvests'), 0);
    assert.equal((await recognise(market.url)).status, 200);
    assert.equal((await recognise(market.url)).body['code'], 'earn_nothing_to_recognise');
    assert.equal(await count('select count(*) from earn_harvests'), 1);
    await requireSound(shared.money);
  });

  test('an Earn deposit from an agent’s wallet that crashed at any point is sent and registered once', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const errands: { agent: OwnedAgent; key: string; point: string }[] = [];
    const order = (url: string, { agent, key }: { agent: OwnedAgent; key: string }) =>
      call(url, `POST /api/agents/${agent.id}/earn/deposit`, {
        key: agent.key,
        headers: { 'idempotency-key': key },
        body: { amount_usd: AMOUNT, key: LEND },
      });
    for (const point of EARN_POINTS.transfer) {
      const agent = await openOwnedAgent(market.url);
      await fundWallet(shared, agent, 'base-mainnet', { usdcMicros: 200n * USDC });
      const errand = { agent, key: randomUUID(), point };
      await dieAt(point, (url) => order(url, errand));
      errands.push(errand);
    }
    const server = await shared.startServer();
    for (const errand of errands) {
      const reply = await order(server.url, errand);
      assert.equal(reply.status, 200, `${errand.point}: ${JSON.stringify(reply.body)}`);
      await until('the position of the agent', async () => {
        const { rows } = await shared.database.pool.query(`select principal_micros from earn_positions where owner_id = $1`, [
          errand.agent.id,
        ]);
        return String(rows[0]?.principal_micros ?? '') === String(BigInt(AMOUNT) * USDC) ? true : undefined;
      });
      assert.equal(await count('select count(*) from earn_agent_deposits where agent_id = $1', [errand.agent.id]), 1);
    }
    await requireSound(shared.money);
  });
});
