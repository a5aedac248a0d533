/** kill -9 at every mark of Earn: two processes finish what was begun, and nobody gets shares or money twice. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import {
  type Depositor,
  deposit,
  openDepositor,
  ownerKinds,
  readPositions,
  registerDeposit,
  sendDeposit,
  usdcOf,
} from '../earn/depositors.ts';
import { startProcess } from '../earn/same-market.ts';
import { type Weather, weatherOf } from '../earn/weather.ts';
import { call, type Reply } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { EARN_POINTS } from './crash-points.ts';

const USDC = 1_000_000n;
const FUNDED = 1_000n * USDC;
const DEPOSITED = 120n * USDC;
const VAULT = 'usdc-traders';

interface Errand {
  readonly point: string;
  readonly depositor: Depositor;
  /** Sends the same request each time. */
  readonly order: (url: string) => Promise<Reply>;
}

suite('a process that crashes while it works on deposits and withdrawals of Earn', () => {
  let shared: SharedMoney;
  let weather: Weather;
  let people = 0;
  before(async () => {
    shared = await openSharedMoney({ ownChains: true });
    weather = weatherOf(shared);
  });
  after(() => shared?.close());

  const open = (url: string) => openDepositor(shared, url, ownerKinds[people++ % 3] ?? 'user', FUNDED);

  async function prepareDeposit(url: string, point: string): Promise<Errand> {
    const depositor = await open(url);
    const reference = await sendDeposit(depositor, DEPOSITED);
    return { point, depositor, order: (at) => registerDeposit(at, depositor, VAULT, DEPOSITED, reference) };
  }

  async function prepareWithdrawal(url: string, point: string): Promise<Errand> {
    const depositor = await open(url);
    assert.equal((await deposit(url, depositor, VAULT, DEPOSITED))['status'], 'deployed');
    const idempotencyKey = randomUUID();
    return {
      point,
      depositor,
      order: async (at) => {
        const { key, headers } = await depositor.credentials();
        const options = { ...(key !== undefined && { key }), headers: { ...headers, 'idempotency-key': idempotencyKey } };
        return await call(at, 'POST /api/earn/pool/withdraw', { ...options, body: { key: VAULT, all: true } });
      },
    };
  }

  /** Free what the dead held: leases of jobs and of answers. */
  async function bury(): Promise<void> {
    await forgetLeases(shared);
    await shared.database.pool.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
  }

  async function dieAt(point: string, stir: (server: ServerProcess) => Promise<unknown>): Promise<void> {
    const server = await startProcess(shared, { CRASH_AT: point }).catch((error: Error) => {
      assert.match(error.message, /ended with null before it was ready/, point);
      return undefined;
    });
    if (server !== undefined) {
      const reply = await stir(server).catch((error: unknown) => {
        assert.ok(error instanceof TypeError, String(error));
        return undefined;
      });
      await until(`death at ${point}`, async () => (hasEnded(server) ? true : undefined), 30).catch((error: unknown) => {
        throw new Error(`${point} was not reached: ${JSON.stringify(reply)} ${server.log()}`, { cause: error });
      });
      assert.equal(server.child.signalCode, 'SIGKILL', point);
    }
    await bury();
  }

  /** The client never got an answer and asks again; the withdrawals of those who never got through begin now. */
  async function askAgain(url: string, { point, order }: Errand): Promise<void> {
    await until(`an answer after ${point}`, async () => {
      const { status, body } = await order(url);
      assert.ok(status === 200 || [409, 502, 503].includes(status), `${point}: ${status} ${JSON.stringify(body)}`);
      return status === 200 || status === 502 ? true : undefined;
    });
  }

  async function untilAllEnded(): Promise<void> {
    await until('the end of every deposit and withdrawal', async () => {
      const { rows } = await shared.database.pool.query(
        `select (select count(*)::int from earn_deposits where status not in ('deployed', 'refunded'))
              + (select count(*)::int from earn_withdrawals where status <> 'settled') as open`,
      );
      return rows[0].open === 0 ? true : undefined;
    });
  }

  async function sharesOf(url: string, depositor: Depositor): Promise<bigint> {
    return BigInt((await readPositions(url, depositor))[0]?.['shares'] ?? 0);
  }

  test('C01, C24: a deposit that is cut short at any mark mints its shares once', async () => {
    const healthy = await startProcess(shared);
    // So that the pool is not fresh, and its price not 1.
    assert.equal((await deposit(healthy.url, await open(healthy.url), VAULT, DEPOSITED))['status'], 'deployed');
    const errands: Errand[] = [];
    for (const point of EARN_POINTS.deposit) errands.push(await prepareDeposit(healthy.url, point));
    assert.equal(await healthy.kill('SIGTERM'), 0);
    for (const { point, order } of errands) await dieAt(point, ({ url }) => order(url));
    const servers = await Promise.all([startProcess(shared), startProcess(shared)]);
    const [one, two] = servers as [ServerProcess, ServerProcess];
    for (const errand of errands) await Promise.all([askAgain(one.url, errand), askAgain(two.url, errand)]);
    await untilAllEnded();
    for (const { point, depositor } of errands) {
      assert.equal(await usdcOf(depositor), FUNDED - DEPOSITED, point);
      assert.ok((await sharesOf(one.url, depositor)) > 0n, point);
      const { rows } = await shared.database.pool.query(
        `select count(*)::int as minted from earn_movements m join earn_deposits d on d.id = m.subject_id where m.kind = 'deposit' and d.payer = $1`,
        [depositor.payer.address],
      );
      assert.equal(rows[0].minted, 1, point);
    }
    await requireSound(shared.money);
    for (const server of servers) await server.kill('SIGTERM');
  });

  test('C01, C26: a withdrawal that is cut short at any mark burns once and is paid once', async () => {
    const healthy = await startProcess(shared);
    const errands: Errand[] = [];
    for (const point of EARN_POINTS.withdrawal) errands.push(await prepareWithdrawal(healthy.url, point));
    assert.equal(await healthy.kill('SIGTERM'), 0);
    for (const { point, order } of errands) await dieAt(point, ({ url }) => order(url));
    const servers = await Promise.all([startProcess(shared), startProcess(shared)]);
    const [one, two] = servers as [ServerProcess, ServerProcess];
    for (const errand of errands) await Promise.all([askAgain(one.url, errand), askAgain(two.url, errand)]);
    await untilAllEnded();
    for (const { point, depositor } of errands) {
      assert.equal(await sharesOf(one.url, depositor), 0n, point);
      const lost = FUNDED - (await usdcOf(depositor));
      assert.ok(lost >= 0n && lost < 10n, `${point}: ${lost} micro-USDC are missing`);
      const { rows } = await shared.database.pool.query('select count(*)::int as made from payouts where destination = $1', [
        depositor.payer.address,
      ]);
      assert.equal(rows[0].made, 1, point);
    }
    await requireSound(shared.money);
    for (const server of servers) await server.kill('SIGTERM');
  });

  test('C24: a deposit that the venue refuses is refunded once, also when the process dies at a mark', async () => {
    for (const point of EARN_POINTS.refund) {
      const healthy = await startProcess(shared);
      const errand = await prepareDeposit(healthy.url, point);
      assert.equal(await healthy.kill('SIGTERM'), 0);
      // Registered, and not deployed before the venue stops.
      await dieAt('earn.before_sign', ({ url }) => errand.order(url));
      await weather.pause();
      await dieAt(point, ({ url }) => errand.order(url));
      const servers = await Promise.all([startProcess(shared), startProcess(shared)]);
      const [one] = servers as [ServerProcess, ServerProcess];
      await untilAllEnded();
      assert.equal(await usdcOf(errand.depositor), FUNDED, point);
      assert.equal(await sharesOf(one.url, errand.depositor), 0n, point);
      const again = await errand.order(one.url);
      assert.equal(again.body['data']?.status ?? again.body['status'], 'refunded', JSON.stringify(again.body));
      await weather.unpause();
      await requireSound(shared.money);
      for (const server of servers) await server.kill('SIGTERM');
    }
  });
});
