/** Attempts to get more out of Earn than was deposited, or what belongs to others. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { fundWallet, openOwnedAgent } from '../agent-wallets/stage.ts';
import { openAdmin } from '../harness/disputes.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { requireSoundBooks } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { openMoney, outcomeOf, requestFor } from '../money/money.ts';
import {
  asWallet,
  balanceOf,
  type Depositor,
  deposited,
  LEND,
  openDepositor,
  POOL,
  positionOf,
  register,
  steer,
  transfer,
  USDC,
  untilStatus,
  withdraw,
  withoutWaits,
} from './stage.ts';

let market: TestMarket;
let anna: Depositor;
let mallory: Depositor;
before(async () => {
  market = await openMarket({ ...withOwnChains, ...withoutWaits });
  [anna, mallory] = [await openDepositor(market), await openDepositor(market)];
});
after(() => market.close());

const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => `${status} ${String(body['code'] ?? '')}`.trim();

test('C25, P15: the first deposit of a fresh pool is at least 100 USD, and a smaller one uses nothing up', async () => {
  const reference = await transfer(mallory, 100n * USDC);
  const small = await register(market, mallory, { amount_usd: '99.999999', incoming_tx_hash: reference, key: POOL });
  assert.equal(codeOf(small), '400 earn_first_deposit_too_small');
  const whole = await register(market, mallory, { amount_usd: '100', incoming_tx_hash: reference, key: POOL });
  assert.equal(whole.status, 200, JSON.stringify(whole.body));
  await untilStatus(market, mallory, whole.body['data'].deposit_id, 'deployed');
});

test('C25: a gift to the venue does not take the next depositor’s shares', async () => {
  await steer(market, POOL, 'donate', '50000');
  await deposited(market, anna, 200, POOL);
  const position = await positionOf(market, anna, POOL);
  assert.ok(Number(position?.['value_usd']) > 199.9, JSON.stringify(position));
});

test('M06: a stranger can deposit neither somebody else’s transfer nor what a venue paid back', async () => {
  const reference = await transfer(anna, 150n * USDC);
  const stolen = await register(market, mallory, { amount_usd: '150', incoming_tx_hash: reference, key: LEND });
  assert.equal(codeOf(stolen), '403 payment_wrong_payer');
  const own = await register(market, anna, { amount_usd: '150', incoming_tx_hash: reference, key: LEND });
  assert.equal(own.status, 200, JSON.stringify(own.body));
  await untilStatus(market, anna, own.body['data'].deposit_id, 'deployed');
  assert.equal(
    codeOf(await register(market, mallory, { amount_usd: '150', incoming_tx_hash: reference, key: LEND })),
    '409 earn_deposit_taken',
  );
  const reply = await withdraw(market, anna, { shares: '50000000000000', key: LEND });
  const settled = await untilStatus(market, anna, reply.body['data'].withdrawal_id, 'settled');
  const returned = String((settled['parts'] as { redeem_tx_hash: string }[])[0]?.redeem_tx_hash);
  const grabbed = await register(market, mallory, { amount_usd: '1', incoming_tx_hash: returned, key: LEND });
  assert.ok(['400 payment_from_marketplace', '409 payment_already_used'].includes(codeOf(grabbed)), codeOf(grabbed));
});

test('M02: a transfer that became a deposit pays for nothing else, and is one deposit however often it is registered', async () => {
  const reference = await transfer(anna, 121n * USDC);
  const body = { amount_usd: '120', incoming_tx_hash: reference, key: LEND };
  const replies = await Promise.all(Array.from({ length: 5 }, () => register(market, anna, body)));
  assert.deepEqual(replies.map(codeOf), ['200', '200', '200', '200', '200']);
  assert.equal(new Set(replies.map(({ body: answer }) => answer['data'].deposit_id)).size, 1);
  assert.equal(replies.find(({ status }) => status === 200)?.body['surplus'].amount_usd, '1.00', 'what was paid beyond it is owed back');
  const registered = { deposit_id: replies[0]?.body['data'].deposit_id, key: LEND, amount_usd: '120.00' };
  for (const change of [{ key: POOL }, { amount_usd: '121' }, { amount_usd: '119.99' }, { key: POOL, amount_usd: '121' }]) {
    const other = await register(market, anna, { ...body, ...change });
    assert.equal(codeOf(other), '409 earn_deposit_differs', JSON.stringify(change));
    assert.deepEqual(other.body['data'], registered, 'it stays where it went');
  }
  assert.equal(codeOf(await register(market, mallory, { ...body, key: POOL })), '409 earn_deposit_taken');
  assert.equal((await register(market, anna, { ...body, amount_usd: '120.000000' })).status, 200);
  const money = await openMoney(market);
  assert.equal(await outcomeOf(money, requestFor(money, 'base-mainnet', reference)), 'payment_already_used');
  money.clock.stop();
});

test('M02: a registration overtaken by another one while it asks the venue answers with the same deposit', async () => {
  const reference = await transfer(anna, 2n * USDC);
  const body = { amount_usd: '2', incoming_tx_hash: reference, key: LEND };
  const chains = market.chains as Map<'base-mainnet', Chain>;
  const chain = chains.get('base-mainnet');
  assert.ok(chain?.venues);
  const { venues } = chain;
  const [asked, overtaken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  chains.set('base-mainnet', {
    ...chain,
    venues: {
      ...venues,
      async previewDeposit(at, assets) {
        chains.set('base-mainnet', chain);
        asked.resolve();
        await overtaken.promise;
        return await venues.previewDeposit(at, assets);
      },
    },
  });
  const slow = register(market, anna, body);
  await asked.promise;
  const quick = await register(market, anna, body);
  overtaken.resolve();
  assert.deepEqual([codeOf(quick), codeOf(await slow)], ['200', '200']);
  assert.equal((await slow).body['data'].deposit_id, quick.body['data'].deposit_id);
});

/** Until the returned function runs, Base shows nothing as final. All other readings stay true. */
function holdFinality(): () => void {
  const chains = market.chains as Map<'base-mainnet', Chain>;
  const chain = chains.get('base-mainnet');
  assert.ok(chain);
  chains.set('base-mainnet', {
    ...chain,
    async readReceipt(reference, known) {
      const reading = await chain.readReceipt(reference, known);
      return reading.state === 'landed' ? { ...reading, receipt: { ...reading.receipt, finality: 'confirmed' } } : reading;
    },
  });
  return () => chains.set('base-mainnet', chain);
}

test('M12, C24: a deposit with a transfer that is not final deploys nothing; when it is held, an operator refunds it whole', async () => {
  const [admin, had] = [await openAdmin(market.url), await balanceOf(anna)];
  const release = holdFinality();
  const ids: string[] = [];
  for (const usd of [130n, 140n]) {
    const reference = await transfer(anna, usd * USDC);
    const reply = await register(market, anna, { amount_usd: String(usd), incoming_tx_hash: reference, key: LEND });
    assert.equal(reply.body['data']?.status, 'received', JSON.stringify(reply.body));
    ids.push(String(reply.body['data'].deposit_id));
  }
  const [kept, returned] = ids;
  const { pool } = market.database;
  assert.deepEqual((await pool.query('select id from earn_intents where subject_id = any($1)', [ids])).rows, []);
  await pool.query(`update earn_deposits set status = 'held', reason = 'A test holds it.' where id = $1`, [returned]);
  const body = { action: 'refund', reason: 'A test of operators.' };
  const refund = await call(market.url, `POST /api/admin/earn/deposits/${returned}`, { key: admin, body });
  assert.equal(refund.body['data']?.status, 'refunding', JSON.stringify(refund.body));
  assert.equal(await balanceOf(anna), had - 270n * USDC);
  release();
  await untilStatus(market, anna, String(kept), 'deployed');
  await untilStatus(market, anna, String(returned), 'refunded');
  assert.equal(await balanceOf(anna), had - 130n * USDC);
  const again = await call(market.url, `POST /api/admin/earn/deposits/${kept}`, { key: admin, body });
  assert.equal(codeOf(again), '409 earn_deposit_not_held');
  await requireSoundBooks(market);
});

/** Registers a deposit, held before its transfer is final, so that operators decide on USDC that has arrived. */
async function registerHeld(usd: bigint, status: 'received' | 'held'): Promise<string> {
  const reference = await transfer(anna, usd * USDC);
  const reply = await register(market, anna, { amount_usd: String(usd), incoming_tx_hash: reference, key: LEND });
  const id = String(reply.body['data']?.deposit_id);
  assert.equal(reply.body['data']?.status, 'received', JSON.stringify(reply.body));
  if (status === 'held') await market.database.pool.query(`update earn_deposits set status = 'held' where id = $1`, [id]);
  return id;
}

test('C24: a deposit under way goes back to its payer when its vault was closed meanwhile', async () => {
  const [admin, had] = [await openAdmin(market.url), await balanceOf(anna)];
  const setOpen = async (deposits_open: boolean) => {
    const body = { deposits_open, reason: 'A test of operators.' };
    const reply = await call(market.url, `PATCH /api/admin/earn/vaults/${encodeURIComponent(LEND)}`, { key: admin, body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  };
  const release = holdFinality();
  const id = await registerHeld(50n, 'received');
  await setOpen(false);
  release();
  const end = await untilStatus(market, anna, id, 'refunded');
  assert.equal(end['shares'], null);
  assert.equal(await balanceOf(anna), had);
  await setOpen(true);
  await requireSoundBooks(market);
});

test('C24: a deposit whose refund is parked cannot be deployed, and a second refund sends the parked payout', async () => {
  const [admin, had] = [await openAdmin(market.url), await balanceOf(anna)];
  const release = holdFinality();
  const id = await registerHeld(60n, 'held');
  const resolve = async (action: string) => {
    const body = { action, reason: 'A test of operators.' };
    return await call(market.url, `POST /api/admin/earn/deposits/${id}`, { key: admin, body });
  };
  assert.equal((await resolve('refund')).body['data']?.status, 'refunding');
  const { pool } = market.database;
  await pool.query(`update payouts set state = 'parked', reason = 'A test parks it.' where purpose = 'earn_refund' and subject_id = $1`, [
    id,
  ]);
  await pool.query(`update earn_deposits set status = 'held' where id = $1`, [id]);
  const retried = await resolve('retry');
  assert.equal(codeOf(retried), '409 earn_deposit_not_held');
  assert.match(String(retried.body['error']), /refund was ordered already/);
  assert.equal((await resolve('refund')).body['data']?.status, 'refunding');
  release();
  await untilStatus(market, anna, id, 'refunded');
  assert.equal(await balanceOf(anna), had);
  await requireSoundBooks(market);
});

test('C26: a withdrawal with the smallest slippage is paid by a venue that takes an exit fee', async () => {
  const chains = market.chains as Map<'base-mainnet', Chain>;
  const chain = chains.get('base-mainnet');
  assert.ok(chain?.venues);
  const { venues } = chain;
  // The venue's stated value is 0.1% above what it pays.
  chains.set('base-mainnet', {
    ...chain,
    venues: { ...venues, valueOf: async (at, units) => ((await venues.valueOf(at, units)) * 10_010n) / 10_000n },
  });
  const reply = await withdraw(market, anna, { shares: '5000000000000', key: LEND, slippage_bps: 1 });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  await untilStatus(market, anna, reply.body['data'].withdrawal_id, 'settled').finally(() => chains.set('base-mainnet', chain));
});

test('C26, Y05: less than 0.01 USDC is not deposited, and less than 1 USDC is withdrawn only as a whole position', async () => {
  const reference = await transfer(anna, USDC);
  const small = await register(market, anna, { amount_usd: '0.009999', incoming_tx_hash: reference, key: LEND });
  assert.equal(codeOf(small), '400 earn_deposit_too_small');
  const held = (await positionOf(market, anna))?.['shares'];
  const dust = await withdraw(market, anna, { shares: '900000000000', key: LEND });
  assert.equal(codeOf(dust), '400 earn_withdrawal_too_small');
  assert.match(String(dust.body['error']), /at least 1\.00 USDC, or the whole position with all: true/);
  assert.equal((await positionOf(market, anna))?.['shares'], held);
});

test('M20: deposit amounts and shares that are negative, endless, too precise or no number are refused', async () => {
  const incoming_tx_hash = `0x${'ab'.repeat(32)}`;
  for (const amount_usd of ['-1', '0', '1e3', 'NaN', '1.0000001', '', null, 1e21])
    assert.equal(
      codeOf(await register(market, anna, { amount_usd, incoming_tx_hash, key: LEND })),
      '400 invalid_input',
      String(amount_usd),
    );
  for (const shares of ['-1', '0', '1.5', '1e9', 'all', 7])
    assert.equal(codeOf(await withdraw(market, anna, { shares, key: LEND })), '400 invalid_input', String(shares));
});

test('R12: withdrawals at the same moment burn each share once', async () => {
  const ben = await openDepositor(market);
  await deposited(market, ben, 300);
  const had = await balanceOf(ben);
  const replies = await Promise.all(Array.from({ length: 5 }, () => withdraw(market, ben, { all: true, key: LEND })));
  const won = replies.filter(({ status }) => status === 200);
  assert.equal(won.length, 1, JSON.stringify(replies.map(codeOf)));
  assert.ok(replies.every((reply) => reply.status === 200 || codeOf(reply) === '400 earn_no_position'));
  const settled = await untilStatus(market, ben, won[0]?.body['data'].withdrawal_id, 'settled');
  const received = (await balanceOf(ben)) - had;
  assert.equal((Number(received) / 1e6).toFixed(6), settled['amount_usd']);
  // The venue rounds down when it makes shares and when it redeems them; the shares' earnings since are added.
  assert.ok(received >= 300n * USDC - 2n && received < 301n * USDC, String(received));
});

test('a withdrawal goes only to a proven wallet of the owner', async () => {
  const body = { shares: '1000000000000', key: LEND, destination_wallet: freshAddress('base-mainnet') };
  assert.equal(codeOf(await withdraw(market, anna, body)), '400 earn_destination_not_yours');
  assert.equal(codeOf(await withdraw(market, anna, { shares: '99999999999999999999', key: LEND })), '400 earn_shares_insufficient');
  const stranger = await call(market.url, 'GET /api/earn/pool/movements', await mallory.credentials());
  assert.ok((stranger.body['data'] as { owned_by: string }[]).every(({ owned_by }) => owned_by === 'you'));
  await requireSoundBooks(market);
});

test('K06: an agent’s key with the signature of a stranger’s wallet pays the agent’s position to no stranger', async () => {
  const agent = await openOwnedAgent(market.url);
  await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 150n * USDC });
  const placed = await call(market.url, `POST /api/agents/${agent.id}/earn/deposit`, {
    key: agent.key,
    body: { amount_usd: '150', key: LEND },
  });
  assert.equal(placed.status, 200, JSON.stringify(placed.body));
  const byKey: Depositor = { ...anna, credentials: async () => ({ key: agent.key }) };
  for (let look = 0; look < 200 && (await positionOf(market, byKey)) === undefined; look++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const thief: Depositor = { ...mallory, credentials: async () => ({ ...(await asWallet(mallory).credentials()), key: agent.key }) };
  const all = { all: true, key: LEND };
  const stolen = await withdraw(market, thief, { ...all, destination_wallet: mallory.payer.address });
  assert.equal(codeOf(stolen), '400 earn_destination_not_yours');
  const own = await withdraw(market, thief, all);
  assert.equal(own.body['data']?.destination_wallet, agent.evm, JSON.stringify(own.body));
  await untilStatus(market, byKey, own.body['data'].withdrawal_id, 'settled');
  await requireSoundBooks(market);
});

test('C24: a paused venue takes no deposit, and the transfer is not used up', async () => {
  await steer(market, LEND, 'pause');
  const reference = await transfer(anna, 110n * USDC);
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  const body = { amount_usd: '110', incoming_tx_hash: reference, key: LEND };
  assert.equal(codeOf(await register(market, anna, body)), '400 earn_deposits_closed');
  await steer(market, LEND, 'resume');
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  const reply = await register(market, anna, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  await untilStatus(market, anna, reply.body['data'].deposit_id, 'deployed');
  await requireSoundBooks(market);
});
