/** Attacks that cost cents: filling the queue with dust, leaving before a loss is noticed, buying into a harvest. Each once succeeded. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { LIQUIDITY_POOL_ADDRESS } from '@market/sandbox/evm';
import { ChainUnavailable, TransferRefused } from '../../packages/server/src/platform/chains/chain.ts';
import { openAdmin } from '../harness/disputes.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { requireSoundBooks, walletOf } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { asHeaders, signedFor } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';
import { giveUnits, inTens, loseUnitsOf, splitAmong, untilAllSettled } from './many-wallets.ts';
import { refuseToSign, replaceVenues, signedByAnother } from './replaced-venues.ts';
import {
  advance,
  balanceOf,
  type Depositor,
  deposited,
  LEND,
  leaveFree,
  openDepositor,
  openSigner,
  POOL,
  positionOf,
  readMovement,
  USDC,
  untilStatus,
  withdraw,
} from './stage.ts';

const WALLETS = times(20, 200);
const PATH = '/api/earn/pool/withdraw';
const codeOf = ({ status, body }: Reply) => `${status} ${String(body['code'] ?? '')}`.trim();

suite('abuse of Earn', () => {
  let market: TestMarket;
  let anna: Depositor;
  let mallory: Depositor;
  let admin: string;
  before(async () => {
    market = await openMarket(withOwnChains);
    [anna, mallory] = [await openSigner(market), await openSigner(market)];
    admin = await openAdmin(market.url);
    await deposited(market, anna, 100);
  });
  after(() => market?.close());

  const manage = async (body: Record<string, unknown>) =>
    await call(market.url, `PATCH /api/admin/earn/vaults/${encodeURIComponent(LEND)}`, {
      key: admin,
      body: { reason: 'A test of operators.', ...body },
    });
  const worthOf = async (depositor: Depositor) => Number((await positionOf(market, depositor))?.['value_usd'] ?? 0);
  const leave = async (depositor: Depositor): Promise<void> => {
    const reply = await withdraw(market, depositor, { all: true, key: LEND });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    await untilStatus(market, depositor, String(reply.body['data'].withdrawal_id), 'settled');
  };

  test('Y07: 900 USDC deposited seconds before a harvest of 100 gain nothing of it; holders get it evenly over 7 days', async (t) => {
    await giveUnits(anna, 100n * USDC);
    const had = await balanceOf(mallory);
    await deposited(market, mallory, 900);
    const before = await worthOf(anna);
    const recognised = await manage({ recognise: 'harvest' });
    assert.equal(recognised.status, 200, JSON.stringify(recognised.body));
    await leave(mallory);
    const gain = Number((await balanceOf(mallory)) - had) / 1e6;
    t.diagnostic(`gained ${gain} USDC of a harvest of 100`);
    assert.ok(gain < 0.05, `gained ${gain}`);
    assert.ok((await worthOf(anna)) < before + 1, 'nothing of it is in the price at once');
    await advance(market, 3.5 * 86_400);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const half = await worthOf(anna);
    assert.ok(Math.abs(half - before - 50) < 2, `${half} after half of the time`);
    await advance(market, 3.5 * 86_400);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const whole = await worthOf(anna);
    assert.ok(Math.abs(whole - before - 100) < 2, `${whole} after all of it`);
    await requireSoundBooks(market);
  });

  test('Y06: a depositor who withdraws before a loss is noticed is not paid ahead of the others', async (t) => {
    await deposited(market, mallory, 650);
    const had = await balanceOf(mallory);
    await loseUnitsOf(market.database, 650n);
    const reply = await withdraw(market, mallory, { all: true, key: LEND });
    const id = String(reply.body['data']?.withdrawal_id);
    for (let round = 0; round < 3; round++) {
      await advance(market, 31);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    const left = Number((await balanceOf(mallory)) - had) / 1e6;
    t.diagnostic(`${left} of 650 USDC left before the loss was spread`);
    assert.equal(left, 0);
    assert.equal((await readMovement(market, mallory, id))['status'], 'queued');
    assert.equal((await manage({ recognise: 'loss' })).status, 200);
    await advance(market, 61);
    await untilStatus(market, mallory, id, 'settled');
    const got = Number((await balanceOf(mallory)) - had) / 1e6;
    // 650 of about 1,500 USDC are lost.
    assert.ok(got > 300 && got < 450, `${got} of 650, in proportion`);
    await requireSoundBooks(market);
  });

  test('Y05: a further withdrawal joins the open one, which moves to the end of the queue and keeps its destination', async () => {
    const [ben, carl] = [await openSigner(market), await openSigner(market)];
    await deposited(market, ben, 150);
    await deposited(market, carl, 150);
    const had = await balanceOf(ben);
    await leaveFree(market, LEND, 0);
    const shares = BigInt(String((await positionOf(market, ben))?.['shares']));
    const part = { shares: String(shares / 10n), key: LEND };
    const first = await withdraw(market, ben, { ...part, slippage_bps: 50 });
    const { withdrawal_id: id, place } = first.body['data'];
    assert.equal(place, 1);
    assert.equal((await withdraw(market, carl, { all: true, key: LEND })).body['data'].place, 2);
    const key = { 'idempotency-key': randomUUID() };
    const second = await withdraw(market, ben, part, key);
    assert.equal(second.status, 200, JSON.stringify(second.body));
    const joined = second.body['data'];
    assert.deepEqual([joined.withdrawal_id, joined.place, joined.shares_burned], [id, 2, String(2n * (shares / 10n))]);
    assert.deepEqual((await withdraw(market, ben, part, key)).body['data'], joined, 'the key burns once');
    // Another destination needs a custody signature, and is refused even with one.
    const elsewhere = freshAddress('base-mainnet');
    const away = { ...part, destination_wallet: elsewhere };
    assert.equal(codeOf(await withdraw(market, ben, away)), '401 custody_signature_required');
    const wallet = walletOf(ben.payer);
    const headers = asHeaders(await signedFor(market.url, wallet, { method: 'POST', path: PATH, body: away }));
    const refused = await call(market.url, `POST ${PATH}`, { headers, body: away });
    assert.equal(codeOf(refused), '409 earn_withdrawal_open');
    assert.deepEqual(refused.body['data'], { withdrawal_id: id, destination_wallet: ben.payer.address });
    const dust = await withdraw(market, ben, { shares: '500000000000', key: LEND });
    assert.equal(codeOf(dust), '400 earn_withdrawal_too_small', 'also when it would join');
    const rest = await withdraw(market, ben, { all: true, key: LEND });
    assert.deepEqual([rest.body['data'].withdrawal_id, rest.body['data'].shares_burned], [id, String(shares)]);
    const { rows } = await market.database.pool.query(
      'select slippage_bps, units::text, shares::text from earn_withdrawals where id = $1',
      [id],
    );
    assert.equal(rows[0].slippage_bps, 50, 'the smaller of the bounds');
    await requireSoundBooks(market);
    await leaveFree(market, LEND, 400_000);
    await advance(market, 31);
    await untilStatus(market, ben, id, 'settled');
    assert.ok(Math.abs(Number((await balanceOf(ben)) - had) / 1e6 - 150) < 0.1);
    await requireSoundBooks(market);
  });

  test('Y05: an ordinary signature adds nothing to a withdrawal that a custody signature sent elsewhere', async () => {
    const ben = await openSigner(market);
    await deposited(market, ben, 100);
    await leaveFree(market, LEND, 0);
    const shares = BigInt(String((await positionOf(market, ben))?.['shares']));
    const body = { shares: String(shares / 4n), key: LEND, destination_wallet: freshAddress('base-mainnet') };
    const sign = async (signedBody: Record<string, unknown>) =>
      asHeaders(await signedFor(market.url, walletOf(ben.payer), { method: 'POST', path: PATH, body: signedBody }));
    const away = await call(market.url, `POST ${PATH}`, { headers: await sign(body), body });
    assert.equal(away.status, 200, JSON.stringify(away.body));
    const bare = { shares: body.shares, key: LEND };
    assert.equal(codeOf(await withdraw(market, ben, bare)), '401 custody_signature_required');
    assert.equal(codeOf(await withdraw(market, ben, { ...bare, destination_wallet: ben.payer.address })), '409 earn_withdrawal_open');
    const more = await call(market.url, `POST ${PATH}`, { headers: await sign(bare), body: bare });
    assert.deepEqual(
      [more.body['data']?.withdrawal_id, more.body['data']?.destination_wallet],
      [away.body['data'].withdrawal_id, body.destination_wallet],
    );
    await leaveFree(market, LEND, 400_000);
    await advance(market, 31);
    await untilStatus(market, ben, String(away.body['data'].withdrawal_id), 'settled');
  });

  test('Y05: two withdrawals that waited a day join each other, and the books explain both', async () => {
    const ben = await openDepositor(market);
    await deposited(market, ben, 100);
    const shares = BigInt(String((await positionOf(market, ben))?.['shares']));
    for (const part of [2n, 4n]) {
      const waits = await withdraw(market, ben, { shares: String(shares / part), key: LEND });
      assert.equal(waits.body['data']?.status, 'waiting', JSON.stringify(waits.body));
    }
    await leaveFree(market, LEND, 0);
    await advance(market, 86_405);
    await until('both being burned', async () => {
      const { rows } = await market.database.pool.query(
        `select state, reason, result_id from delayed_moves where kind = 'earn_withdrawal'`,
      );
      assert.ok(
        rows.every(({ state }) => state !== 'failed'),
        JSON.stringify(rows),
      );
      return new Set(rows.map(({ result_id: id }) => id)).size === 1 && rows[0].result_id !== null ? true : undefined;
    });
    await requireSoundBooks(market);
    await leaveFree(market, LEND, 400_000);
    await advance(market, 31);
    await untilAllSettled(market.database);
  });

  test('Y06: redemptions that are not signed when a loss is noticed return to the queue and bear their part', async () => {
    const ben = await openSigner(market);
    await deposited(market, ben, 200);
    const had = await balanceOf(ben);
    const release = refuseToSign(market);
    const reply = await withdraw(market, ben, { all: true, key: LEND });
    const id = String(reply.body['data'].withdrawal_id);
    await until('the call being ordered', async () => ((await readMovement(market, ben, id))['status'] === 'redeeming' ? true : undefined));
    await loseUnitsOf(market.database, 200n);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    release();
    await advance(market, 31);
    await until('the call being given back', async () => ((await readMovement(market, ben, id))['status'] === 'queued' ? true : undefined));
    assert.equal(await balanceOf(ben), had);
    assert.equal((await manage({ recognise: 'loss' })).status, 200);
    await advance(market, 61);
    await untilStatus(market, ben, id, 'settled');
    const got = Number((await balanceOf(ben)) - had) / 1e6;
    assert.ok(got > 80 && got < 195, `${got} of 200`);
    await requireSoundBooks(market);
  });

  test('Y06: a deposit under way when units vanish is refunded or waits until the loss is spread; it never buys at the old price', async () => {
    const ben = await openSigner(market);
    const { venues, restore } = replaceVenues(market);
    const landed = Promise.withResolvers<void>();
    venues.readResult = async (...asked) => {
      await landed.promise;
      return await venues.before.readResult(...asked);
    };
    const deposit = deposited(market, ben, 100);
    await until('the venue holding it', async () => {
      const { rows } = await market.database.pool.query(
        `select 1 from earn_intents where kind = 'deposit' and state in ('sent', 'unknown')`,
      );
      return rows.length === 1 ? true : undefined;
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await loseUnitsOf(market.database, 100n);
    landed.resolve();
    restore();
    await advance(market, 900);
    await until('the loss being noticed', async () => ((await impairedAt()) === null ? undefined : true));
    assert.equal(await positionOf(market, ben), undefined, 'no shares at the price of before');
    const spread = await manage({ recognise: 'loss' });
    assert.equal(spread.status, 200, `a deposit under way is no hindrance: ${JSON.stringify(spread.body)}`);
    await deposit;
    assert.ok(Math.abs((await worthOf(ben)) - 100) < 0.1, 'and bears nothing of it');
    await requireSoundBooks(market);
  });

  test('Y07: a harvest that had not accrued when the last holder left is not given to the next first depositor', async () => {
    const manager = async (body: Record<string, unknown>) =>
      await call(market.url, `PATCH /api/admin/earn/vaults/${encodeURIComponent(POOL)}`, {
        key: admin,
        body: { reason: 'A test of operators.', ...body },
      });
    const [ben, carl] = [await openSigner(market), await openSigner(market)];
    await deposited(market, ben, 100, POOL);
    await giveUnits(ben, 50n * USDC, LIQUIDITY_POOL_ADDRESS);
    assert.equal((await manager({ recognise: 'harvest' })).status, 200);
    const reply = await withdraw(market, ben, { all: true, key: POOL });
    await untilStatus(market, ben, String(reply.body['data'].withdrawal_id), 'settled');
    const none = await manager({ recognise: 'harvest' });
    assert.equal(codeOf(none), '409 earn_nothing_to_recognise', 'nobody holds it');
    await deposited(market, carl, 100, POOL);
    await advance(market, 8 * 86_400);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const worth = Number((await positionOf(market, carl, POOL))?.['value_usd']);
    assert.ok(Math.abs(worth - 100) < 0.5, `${worth}`);
    const again = await manager({ recognise: 'harvest' });
    assert.equal(again.status, 200, JSON.stringify(again.body));
    assert.ok(Number(again.body['data'].unvested_units) > 0, 'an operator may recognise it for those who hold now');
    await requireSoundBooks(market);
  });

  test(`Y05: ${WALLETS} wallets with 5 USDC in the queue delay an honest withdrawal by none of their redemptions`, async (t) => {
    await deposited(market, mallory, 5);
    const ben = await openSigner(market);
    await deposited(market, ben, 150);
    const crowd = await splitAmong(market, market.database, mallory, WALLETS);
    await leaveFree(market, LEND, 0);
    await inTens(crowd, async (holder) => {
      const reply = await holder.withdraw(market.url, { all: true });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    });
    const reply = await withdraw(market, ben, { all: true, key: LEND });
    const id = String(reply.body['data'].withdrawal_id);
    assert.equal(reply.body['data'].place, WALLETS + 1);
    await leaveFree(market, LEND, 400_000);
    const began = performance.now();
    await advance(market, 31);
    await untilStatus(market, ben, id, 'settled');
    const seconds = (performance.now() - began) / 1000;
    const { rows } = await market.database.pool.query(
      `select (select count(*) from earn_intents o where o.kind = 'redeem' and o.state = 'confirmed' and o.updated_at < i.created_at
                 and o.created_at > w.created_at)::int as before
       from earn_withdrawals w join earn_intents i on i.subject_id = w.id where w.id = $1`,
      [id],
    );
    t.diagnostic(`paid after ${seconds.toFixed(1)} s, ordered after ${rows[0].before} redemptions of the others`);
    assert.equal(rows[0].before, 0);
    await untilAllSettled(market.database);
    await requireSoundBooks(market);
  });

  test('R12: a refusal that one worker got does not undo what another worker has signed meanwhile', async () => {
    const ben = await openSigner(market);
    await deposited(market, ben, 50);
    const had = await balanceOf(ben);
    const { venues, restore } = replaceVenues(market);
    const { previewRedeem } = venues;
    let others: Promise<unknown> | undefined;
    // The first worker learns late that the venue refuses; its lease has ended, and the second worker continued.
    venues.previewRedeem = async (at, units) => {
      if (others !== undefined) return await previewRedeem(at, units);
      others = signedByAnother(market);
      await others;
      throw new TransferRefused('venue', 'a test refuses it');
    };
    let isHeld = true;
    venues.readOutcome = async (call, signed) => {
      if (isHeld && call.kind === 'redeem') throw new ChainUnavailable('base-mainnet', 'a test reads nothing');
      return await venues.before.readOutcome(call, signed);
    };
    try {
      const reply = await withdraw(market, ben, { all: true, key: LEND });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const id = String(reply.body['data'].withdrawal_id);
      await until('the refusal', async () => others && true);
      await others;
      await new Promise((resolve) => setTimeout(resolve, 500));
      isHeld = false;
      await untilStatus(market, ben, id, 'settled');
      const { rows } = await market.database.pool.query('select state from earn_intents where subject_id = $1', [id]);
      assert.deepEqual(rows, [{ state: 'confirmed' }]);
      assert.ok((await balanceOf(ben)) - had > 49n * USDC);
    } finally {
      isHeld = false;
      restore();
    }
    await requireSoundBooks(market);
  });

  async function impairedAt(): Promise<unknown> {
    return (await market.database.pool.query('select impaired_at from earn_vaults where key = $1', [LEND])).rows[0].impaired_at;
  }
});
