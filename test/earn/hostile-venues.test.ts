/** A venue that lies, stops, reverts, calls back or changes its price: every depositor is whole, or visibly waits in the queue. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { LIQUIDITY_POOL_ADDRESS } from '@market/sandbox/evm';
import type { Hex } from 'viem';
import { forgetLeases, hasEnded } from '../faults/crash-lab.ts';
import { call } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import {
  type Depositor,
  deposit,
  openDepositor,
  ownerKinds,
  readMovement,
  readPositions,
  registerDeposit,
  sendDeposit,
  untilMoved,
  usdcOf,
  withdraw,
} from './depositors.ts';
import { callOfRouter, deployHostileVenue, type HostileMode, type HostileVenue } from './hostile-venue.ts';
import { startProcess } from './same-market.ts';
import { withoutWaits } from './stage.ts';

const USDC = 1_000_000n;
const FUNDED = 1_000n * USDC;
const AMOUNT = 200n * USDC;
/** One mode that reenters, one that lies about a deposit, and one that lies about a redemption. */
const EVERYDAY_MODES: readonly string[] = ['calls_back', 'mints_nothing', 'pays_less'] satisfies HostileMode[];

suite('a hostile venue', () => {
  let shared: SharedMoney;
  let venue: HostileVenue;
  let dear: HostileVenue;
  let server: ServerProcess;
  let people = 0;
  const start = (more: Record<string, string> = {}) =>
    startProcess(shared, {
      EARN_VENUES: `${venue.setting};${dear.setting};pool=liquidity_pool:${LIQUIDITY_POOL_ADDRESS}`,
      ...withoutWaits,
      ...more,
    });
  const open = () => openDepositor(shared, server.url, ownerKinds[people++ % 3] ?? 'user', FUNDED);

  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    venue = await deployHostileVenue(shared, 'hostile');
    dear = await deployHostileVenue(shared, 'dear');
    server = await start();
    const first = await open();
    assert.equal((await deposit(server.url, first, venue.vault, AMOUNT))['status'], 'deployed');
  });
  after(() => shared?.close());

  async function holder(): Promise<Depositor> {
    const depositor = await open();
    assert.equal((await deposit(server.url, depositor, venue.vault, AMOUNT))['status'], 'deployed');
    return depositor;
  }

  /** The market tries again after a minute of market time. */
  async function untilSettled(depositor: Depositor, id: string) {
    return await until(`the end of ${id}`, async () => {
      await call(server.url, 'POST /sandbox/clock', { body: { advance_seconds: 20 } });
      const movement = await readMovement(server.url, depositor, id);
      return movement['status'] === 'settled' ? movement : undefined;
    });
  }

  async function untilDead(dying: ServerProcess, answer: unknown): Promise<void> {
    await until('death', async () => (hasEnded(dying) ? true : undefined), 20).catch((error: unknown) => {
      throw new Error(`it lives: ${JSON.stringify(answer)} ${dying.log()}`, { cause: error });
    });
  }

  const lies: readonly (readonly [HostileMode, string])[] = [
    ['mints_less', 'gives fewer units than it promised'],
    ['mints_nothing', 'takes the USDC and gives nothing'],
    ['takes_nothing', 'gives units and takes no USDC'],
    ['reverts', 'refuses'],
    ['calls_back', 'calls the router back'],
  ];
  for (const [mode, what] of lies.filter(([mode]) => isThorough || EVERYDAY_MODES.includes(mode))) {
    test(`C24: a venue that ${what} gets nothing, and the depositor gets everything back`, async () => {
      const depositor = await open();
      const { to, data } = callOfRouter(depositor.payer.chain.usdcAddress as Hex, venue.address);
      await venue.setCallback(to, data);
      await venue.setMode(mode);
      try {
        const reply = await registerDeposit(server.url, depositor, venue.vault, AMOUNT, await sendDeposit(depositor, AMOUNT));
        assert.ok(reply.status === 200 || reply.body['code'] === 'earn_deploy_failed', JSON.stringify(reply.body));
        const id = reply.body['data'].deposit_id as string;
        const end = await untilMoved(server.url, depositor, id, ({ status }) => status === 'refunded');
        assert.ok(end['refund_tx_hash']);
        assert.equal(end['shares'], null);
        assert.equal(await usdcOf(depositor), FUNDED);
        assert.deepEqual(await readPositions(server.url, depositor), []);
      } finally {
        await venue.setMode('honest');
      }
    });
  }

  test('C24: a venue that begins to revert after the deploy was signed leaves the depositor whole', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    await dieAndChange(() => venue.setMode('reverts'), 'refunded');
    await venue.setMode('honest');
  });

  test('C24, C25: a share price that moves after the deploy was signed is not accepted', async () => {
    await dieAndChange(() => venue.donate(20n * AMOUNT), 'refunded');
  });

  /** The process dies after signing; the venue changes before another process sends the bytes. */
  async function dieAndChange(change: () => Promise<void>, expected: string): Promise<void> {
    const depositor = await open();
    const reference = await sendDeposit(depositor, AMOUNT);
    await server.kill('SIGTERM');
    const dying = await start({ CRASH_AT: 'outgoing.after_store' });
    const reply = await registerDeposit(dying.url, depositor, venue.vault, AMOUNT, reference).catch(() => undefined);
    await untilDead(dying, reply?.body);
    await forgetLeases(shared);
    await change();
    server = await start();
    const { rows } = await shared.database.pool.query('select id from earn_deposits where reference = $1', [reference]);
    await untilMoved(server.url, depositor, rows[0].id, ({ status }) => status === expected);
    assert.equal(await usdcOf(depositor), FUNDED);
  }

  test('C25: a venue whose unit is so expensive that rounding costs part of the deposit does not get it', async () => {
    const depositor = await open();
    await dear.donate(150n * USDC);
    const reference = await sendDeposit(depositor, AMOUNT);
    const register = () => registerDeposit(server.url, depositor, dear.vault, AMOUNT, reference, { 'idempotency-key': reference });
    const reply = await register();
    assert.equal(reply.body['code'], 'earn_deploy_failed', JSON.stringify(reply.body));
    const { status, body } = await register();
    assert.deepEqual(
      [status, body['code'], body['data']],
      [reply.status, 'earn_deploy_failed', reply.body['data']],
      'the repeat of the key',
    );
    await untilMoved(server.url, depositor, reply.body['data'].deposit_id, ({ status }) => status === 'refunded');
    assert.equal(await usdcOf(depositor), FUNDED);
  });

  test('C26: a withdrawal for which the venue pays nothing does not block those behind it', async () => {
    const pool = 'usdc-traders';
    const [dusty, behind] = [await open(), await open()];
    for (const depositor of [dusty, behind]) assert.equal((await deposit(server.url, depositor, pool, AMOUNT))['status'], 'deployed');
    const held = BigInt((await readPositions(server.url, dusty)).find(({ key }) => key === pool)?.['shares']);
    const most = await withdraw(server.url, dusty, pool, { shares: String(held - 7n) });
    assert.equal(most.status, 200, JSON.stringify(most.body));
    const dust = await withdraw(server.url, dusty, pool, { all: true });
    assert.equal(dust.status, 200, JSON.stringify(dust.body));
    const next = await withdraw(server.url, behind, pool, { all: true });
    assert.equal(next.status, 200, JSON.stringify(next.body));
    await untilSettled(behind, next.body['data'].withdrawal_id);
    const end = await untilSettled(dusty, dust.body['data'].withdrawal_id);
    assert.deepEqual([end['amount_usd'], end['parts']], ['0.000000', []]);
  });

  test('a paused venue uses no transfer up, and takes it after the pause', async () => {
    const depositor = await open();
    const reference = await sendDeposit(depositor, AMOUNT);
    await venue.setPaused(true);
    const refused = await registerDeposit(server.url, depositor, venue.vault, AMOUNT, reference);
    assert.deepEqual([refused.status, refused.body['code']], [400, 'earn_deposits_closed']);
    await venue.setPaused(false);
    const taken = await until('the venue being read again', async () => {
      const reply = await registerDeposit(server.url, depositor, venue.vault, AMOUNT, reference);
      return reply.status === 400 ? undefined : reply;
    });
    assert.equal(taken.status, 200, JSON.stringify(taken.body));
    await untilMoved(server.url, depositor, taken.body['data'].deposit_id, ({ status }) => status === 'deployed');
  });

  const refusals: readonly (readonly [HostileMode | 'paused', string])[] = [
    ['paused', 'is paused'],
    ['reverts', 'reverts'],
    ['pays_less', 'pays less than the units are worth'],
    ['pays_nothing', 'pays nothing'],
    ['burns_more', 'burns more units than it was asked for'],
  ];
  for (const [mode, what] of refusals.filter(([mode]) => isThorough || EVERYDAY_MODES.includes(mode))) {
    test(`C26: a withdrawal from a venue that ${what} waits with its place, and is paid in full once the venue is honest`, async () => {
      const depositor = await holder();
      const before = await usdcOf(depositor);
      if (mode === 'paused') await venue.setPaused(true);
      else await venue.setMode(mode);
      const reply = await withdraw(server.url, depositor, venue.vault, { all: true });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const { withdrawal_id: id, status, place } = reply.body['data'];
      assert.deepEqual([status, place], ['queued', 1]);
      const waiting = await readMovement(server.url, depositor, id);
      assert.ok(['queued', 'redeeming'].includes(waiting['status']), waiting['status']);
      assert.equal(await usdcOf(depositor), before, 'nothing was paid');
      assert.deepEqual(await readPositions(server.url, depositor), [], 'the shares are burned');
      await (mode === 'paused' ? venue.setPaused(false) : venue.setMode('honest'));
      const settled = await untilSettled(depositor, id);
      const { rows } = await shared.database.pool.query('select count(*)::int as tries from earn_intents where subject_id = $1', [id]);
      assert.ok(rows[0].tries <= 5, `the venue was asked ${rows[0].tries} times`);
      const paid = (await usdcOf(depositor)) - before;
      assert.ok(paid >= (AMOUNT * 99n) / 100n, `${paid} was paid`);
      assert.equal(settled['parts'].length, 1);
    });
  }

  test('C26: a venue that loses money after the redemption was signed pays the present worth of the units, once', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const depositor = await holder();
    const before = await usdcOf(depositor);
    await server.kill('SIGTERM');
    const dying = await start({ CRASH_AT: 'outgoing.after_store' });
    const reply = await withdraw(dying.url, depositor, venue.vault, { all: true }).catch(() => undefined);
    await untilDead(dying, reply?.body);
    await forgetLeases(shared);
    const { rows } = await shared.database.pool.query(`select id from earn_withdrawals where status <> 'settled'`);
    assert.equal(rows.length, 1);
    await venue.lose(2n * AMOUNT);
    server = await start();
    await untilSettled(depositor, rows[0].id);
    const paid = (await usdcOf(depositor)) - before;
    assert.ok(paid > 0n && paid < AMOUNT, `${paid} was paid`);
  });

  test('the books are sound after hostile venues', async () => {
    await requireSound(shared.money);
  });
});
