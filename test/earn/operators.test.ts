/** Decisions of operators and owners: recognised losses, closed vaults, restored intents, and automatic deposits. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callSigned, fundWallet, openOwnedAgent } from '../agent-wallets/stage.ts';
import { openAdmin } from '../harness/disputes.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { requireSoundBooks } from '../harness/orders.ts';
import { closeOutflow, openOutflow } from '../harness/outflow.ts';
import { freshAddress } from '../harness/payers.ts';
import { makeViewsWritable } from '../harness/writable-views.ts';
import { until } from '../money/money.ts';
import {
  advance,
  balanceOf,
  type Depositor,
  deposited,
  LEND,
  openDepositor,
  positionOf,
  readMovement,
  register,
  transfer,
  USDC,
  untilStatus,
  withdraw,
  withoutWaits,
} from './stage.ts';

let market: TestMarket;
let anna: Depositor;
let admin: string;
before(async () => {
  market = await openMarket({ ...withOwnChains, ...withoutWaits });
  anna = await openDepositor(market);
  admin = await openAdmin(market.url);
  await deposited(market, anna, 1_000);
});
after(() => market.close());

const query = async (text: string, values: unknown[] = []) => (await market.database.pool.query(text, values)).rows;
const overview = async () =>
  ((await expectCall(market.url, 200, 'GET /api/admin/earn', { key: admin }))['vaults'] as Record<string, unknown>[]).find(
    ({ key }) => key === LEND,
  );
const manage = async (body: Record<string, unknown>) =>
  await call(market.url, `PATCH /api/admin/earn/vaults/${encodeURIComponent(LEND)}`, {
    key: admin,
    body: { reason: 'A test of operators.', ...body },
  });

test('an operator closes deposits of Earn and opens them again; withdrawals continue', async () => {
  assert.equal((await manage({ deposits_open: false })).status, 200);
  const reference = await transfer(anna, 5n * USDC);
  const body = { amount_usd: 5, incoming_tx_hash: reference, key: LEND };
  assert.equal((await register(market, anna, body)).body['code'], 'earn_deposits_closed');
  const reply = await withdraw(market, anna, { shares: '1000000000000', key: LEND });
  await untilStatus(market, anna, reply.body['data'].withdrawal_id, 'settled');
  assert.equal((await manage({ deposits_open: true })).status, 200);
  const taken = await register(market, anna, body);
  assert.equal(taken.status, 200, 'less than the first one once the pool has shares');
  await untilStatus(market, anna, taken.body['data'].deposit_id, 'deployed');
});

const LOST = 100_000_000_000_000n;
/** Makes the book exceed the venue. */
async function loseUnits(): Promise<void> {
  await query('update earn_vaults set total_units = total_units + $2, version = version + 1 where key = $1', [LEND, String(LOST)]);
  await query(`insert into earn_movements (vault_key, kind, units) values ($1, 'harvest', $2)`, [LEND, String(LOST)]);
  await advance(market, 900);
  await until('the vault being impaired', async () => ((await overview())?.['impaired_at'] === null ? undefined : true));
}

test('units that are missing in the venue stop deposits until an operator spreads the loss over holders', async () => {
  await loseUnits();
  const reference = await transfer(anna, 5n * USDC);
  assert.equal(
    (await register(market, anna, { amount_usd: 5, incoming_tx_hash: reference, key: LEND })).body['code'],
    'earn_deposits_closed',
  );
  const before = Number((await positionOf(market, anna))?.['value_usd']);
  const recognised = await manage({ recognise: 'loss', deposits_open: true });
  assert.equal(recognised.status, 200, JSON.stringify(recognised.body));
  assert.equal(recognised.body['data'].recognised_units, String(-LOST));
  const after = Number((await positionOf(market, anna))?.['value_usd']);
  assert.equal(Math.round(before - after), 100);
  assert.equal((await overview())?.['impaired_at'], null);
  assert.equal((await manage({ recognise: 'loss' })).body['code'], 'earn_nothing_to_recognise');
  await requireSoundBooks(market);
});

test('C26: nobody leaves a vault with missing units before the loss is spread, and waiting withdrawals bear a part of it', async () => {
  const ben = await openDepositor(market);
  await deposited(market, ben, 500);
  const [worth, had] = [Number((await positionOf(market, anna))?.['value_usd']), await balanceOf(ben)];
  await loseUnits();
  const reply = await withdraw(market, ben, { all: true, key: LEND });
  const id = String(reply.body['data']?.withdrawal_id);
  for (let round = 0; round < 3; round++) {
    await advance(market, 61);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal((await readMovement(market, ben, id))['status'], 'queued');
  }
  assert.equal((await manage({ recognise: 'loss' })).status, 200);
  await advance(market, 61);
  await untilStatus(market, ben, id, 'settled');
  assert.equal(Math.round(Number((await balanceOf(ben)) - had) / 1e6), 500, 'what he put in, without what was never there');
  assert.ok(Math.abs(Number((await positionOf(market, anna))?.['value_usd']) - worth) < 1);
  await requireSoundBooks(market);
});

test('C24: missing units are noticed while a deposit is under way, and that deposit is refunded', async () => {
  const had = await balanceOf(anna);
  await closeOutflow(market);
  const reference = await transfer(anna, 20n * USDC, 'final');
  const reply = await register(market, anna, { amount_usd: 20, incoming_tx_hash: reference, key: LEND });
  assert.equal(reply.body['data']?.status, 'deploying', JSON.stringify(reply.body));
  await loseUnits();
  await openOutflow(market);
  await untilStatus(market, anna, String(reply.body['data'].deposit_id), 'refunded');
  assert.equal(await balanceOf(anna), had);
  assert.equal((await manage({ recognise: 'loss' })).status, 200);
  await requireSoundBooks(market);
});

test('B05: an Earn intent is not signed while outflow is closed', async () => {
  await closeOutflow(market);
  const reference = await transfer(anna, 20n * USDC, 'final');
  const reply = await register(market, anna, { amount_usd: 20, incoming_tx_hash: reference, key: LEND });
  assert.equal(reply.body['data']?.status, 'deploying', JSON.stringify(reply.body));
  assert.deepEqual(
    await query(`select 1 from outgoing_attempts a join earn_intents i on i.id = a.intent_id where i.state = 'queued'`, []),
    [],
  );
  // Held meanwhile: while the deploy may still happen a refund could pay twice, but continuing is safe.
  const id = String(reply.body['data'].deposit_id);
  await query(`update earn_deposits set status = 'held', reason = 'A test holds it.' where id = $1`, [id]);
  const held = (await expectCall(market.url, 200, 'GET /api/admin/earn', { key: admin }))['held'] as { deposit_id: string }[];
  assert.deepEqual(
    held.map(({ deposit_id }) => deposit_id),
    [id],
  );
  const resolve = async (action: string) =>
    await call(market.url, `POST /api/admin/earn/deposits/${id}`, { key: admin, body: { action, reason: 'A test of operators.' } });
  assert.equal((await resolve('refund')).status, 409);
  assert.equal((await resolve('retry')).body['data']?.status, 'received');
  assert.equal((await resolve('retry')).body['code'], 'earn_deposit_not_held');
  await untilStatus(market, anna, id, 'deploying');
  await openOutflow(market);
  await untilStatus(market, anna, reply.body['data'].deposit_id, 'deployed');
});

test('idle USDC of an agent above the owner’s bound is deposited automatically, within the daily limit and not under a freeze', async () => {
  const agent = await openOwnedAgent(market.url);
  await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 500n * USDC });
  const route = `/api/agents/${agent.id}/earn/sweep` as const;
  assert.equal((await expectCall(market.url, 200, `GET ${route}`, { key: agent.key }))['enabled'], false, 'off by default');
  const rule = { enabled: true, key: LEND, above_usd: '200', daily_limit_usd: '120' };
  assert.equal((await call(market.url, `PUT ${route}`, { key: agent.key, body: rule })).status, 403, 'the agent cannot set it');
  const set = await callSigned(market.url, agent.owner, `PUT ${route}`, rule);
  assert.equal(set.status, 200, JSON.stringify(set.body));
  const principal = async () =>
    Number((await query('select principal_micros from earn_positions where owner_id = $1', [agent.id]))[0]?.principal_micros ?? 0);
  const freeze = async (frozen: boolean) => {
    const reply = await callSigned(market.url, agent.owner, `PATCH /api/spending/policies/agent/${agent.id}`, { frozen });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  };
  await freeze(true);
  await advance(market, 3_600);
  await until('the round that finds the agent frozen', async () => {
    const [row] = await query('select last_problem from earn_sweeps where agent_id = $1', [agent.id]);
    return row?.last_problem === 'The owner froze this spending. Nothing was paid.' ? true : undefined;
  });
  assert.equal(await principal(), 0);
  await freeze(false);
  await makeViewsWritable(market.database.pool);
  // A requested movement that is not sent yet: 250 of the 500 will leave, so 50 are above the bound.
  await query(
    `insert into wallet_movements (id, agent_id, purpose, network, wallet, destination, asset, amount, state)
     values ('mov_on_its_way', $1, 'send', 'base-mainnet', $2, $3, 'usdc', 250000000, 'unknown')`,
    [agent.id, agent.evm, freshAddress('base-mainnet')],
  );
  await advance(market, 3_600);
  await until('the first sweep', async () => ((await principal()) > 0 ? true : undefined));
  assert.equal(await principal(), 50_000_000);
  await query(`delete from wallet_movements where id = 'mov_on_its_way'`);
  await advance(market, 3_600);
  await until('the second sweep', async () => ((await principal()) > 50_000_000 ? true : undefined));
  assert.equal(await principal(), 120_000_000);
  await advance(market, 3_600);
  await until('the third round', async () => {
    const jobs = await query(`select 1 from jobs where kind = 'earn.sweep' and run_at > market_now()`);
    return jobs.length === 1 ? true : undefined;
  });
  assert.equal(await principal(), 120_000_000);
  await requireSoundBooks(market);
});
