/** Treasury keys in a separate signer process: the service pays through it, and forged requests get nothing beyond its limits. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRemoteSigner } from '../../packages/server/src/platform/signer/remote-signer.ts';
import { MAC_HEADER, macOfRequest, SIGN_PATH } from '../../packages/server/src/platform/signer/signer-channel.ts';
import { deposited, openSigner } from '../earn/stage.ts';
import { type MarketCommand, runMarketCommand } from '../harness/market-command.ts';
import { createPayer, freshAddress } from '../harness/payers.ts';
import { isThorough, some, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { chainOf, NETWORKS, requireSound, USDC, until } from '../money/money.ts';
import { payForOrder, queueOutgoing, readPayout, requirePaidOnce, untilState } from '../money/outgoing.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

const SECRET = 'c5'.repeat(32);
const PAYING_NETWORKS = some(NETWORKS, 1);
/** The amount that earlier tests have the signer send, of 26 an hour. */
const SENT_USD = 2 * PAYING_NETWORKS.length + 1;

let shared: SharedMoney;
let signer: MarketCommand;
let url: string;
before(async () => {
  shared = await openSharedMoney({ ownChains: true });
  const settings = { ...shared.settings, SIGNER_SECRET: SECRET, SIGNER_PORT: '0', OUTFLOW_HOURLY_USD: '26', PAYOUT_ACCOUNT_FROM_USD: '0' };
  signer = runMarketCommand(['signer'], settings);
  url = await signer.said(/^ready (\S+)$/m);
});
after(async () => {
  signer.child.kill('SIGTERM');
  await signer.ended;
  await shared.close();
});

const watching = () => ({
  SIGNER_URL: url,
  SIGNER_SECRET: SECRET,
  TREASURY_SOLANA_ADDRESS: chainOf(shared, 'solana-mainnet').treasury,
  TREASURY_EVM_ADDRESS: chainOf(shared, 'base-mainnet').treasury,
});

async function queueOn(network: (typeof NETWORKS)[number], micros: bigint) {
  const payer = await createPayer(shared, network);
  const subjectId = await payForOrder(shared.money, payer, micros);
  return await queueOutgoing(shared.money, { purpose: 'payout', network, subjectId, amountMicros: micros });
}

async function post(body: string, mac = macOfRequest(SECRET, body)): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await fetch(`${url}${SIGN_PATH}`, { method: 'POST', headers: { [MAC_HEADER]: mac }, body });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

const requestFor = (intentId: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({ intent_id: intentId, replace: false, nonce: `nonce-${Math.random()}-0123456789`, sent_at: Date.now(), ...more });

test('K05: a service without treasury keys pays through the signer, once', async () => {
  const server = await shared.startServer(watching());
  for (const network of PAYING_NETWORKS) {
    const payout = await queueOn(network, 2n * USDC);
    await untilState(shared.money, payout.id, 'confirmed');
    await requirePaidOnce(shared.money, payout);
  }
  await requireSound(shared.money);
  await server.kill('SIGTERM');
});

test('K05: the signer signs no forged request: wrong proof, replay, age, shape, unknown or finished intent, changed destination', async () => {
  const payout = await queueOn('base-mainnet', USDC);
  const { pool } = shared.database;
  const body = requestFor(payout.id);
  assert.equal((await post(body, macOfRequest('d6'.repeat(32), body))).status, 401, 'another secret');
  assert.equal(
    (await post(body.replace(payout.id, 'pay_other'), macOfRequest(SECRET, body))).status,
    401,
    'another intent under the same proof',
  );
  assert.equal((await post(requestFor(payout.id, { sent_at: Date.now() - 61_000 }))).status, 401, 'old');
  const named = { amount: '999000000', destination: freshAddress('base-mainnet') };
  assert.equal((await post(requestFor(payout.id, named))).status, 401, 'an amount and a destination of its own');
  assert.equal((await post(requestFor('pay_unknown'))).answer['kind'], 'held');

  await pool.query('update payouts set amount_micros = 5000000 where id = $1', [payout.id]);
  assert.match(String((await post(requestFor(payout.id))).answer['message']), /books do not hold the amount/);
  await pool.query('update payouts set amount_micros = 1000000 where id = $1', [payout.id]);

  const taken = requestFor(payout.id);
  const first = await post(taken);
  assert.equal(first.answer['kind'], 'signed', JSON.stringify(first.answer));
  assert.equal((await post(taken)).status, 401, 'a replay');
  const second = await post(requestFor(payout.id));
  assert.equal(second.answer['bytes'], first.answer['bytes'], 'asked again, it gives the same bytes and no second transfer');

  await pool.query('update payouts set destination = $2 where id = $1', [payout.id, freshAddress('base-mainnet')]);
  assert.match(String((await post(requestFor(payout.id))).answer['message']), /signed with another amount or destination/);
  await pool.query('update payouts set destination = $2 where id = $1', [payout.id, payout.destination]);

  const server = await shared.startServer(watching());
  await untilState(shared.money, payout.id, 'confirmed');
  await requirePaidOnce(shared.money, payout);
  await server.kill('SIGTERM');
  assert.match(String((await post(requestFor(payout.id))).answer['message']), /confirmed; nothing is signed/);
  const remote = createRemoteSigner({ url, secret: 'd6'.repeat(32) });
  await assert.rejects(remote.sign(payout), /does not prove that it comes from the signer/);
});

test('K05: a deposit of Earn reaches its venue through the signer', { skip: !isThorough && THOROUGH_ONLY }, async () => {
  const server = await shared.startServer(watching());
  const market = { ...shared, url: server.url };
  const depositor = await openSigner(market, 200n * USDC);
  const deposit = await deposited(market, depositor, 100);
  assert.equal(deposit['status'], 'deployed');
  await requireSound(shared.money);
  await server.kill('SIGTERM');
});

test('K05, K09: an attacker who owns the service and its database gets no more than the signer’s hourly limit', async () => {
  const before = await chainOf(shared, 'base-mainnet').readBalances(chainOf(shared, 'base-mainnet').treasury);
  const intents = [];
  for (let order = 0; order < 8; order++) intents.push(await queueOn('base-mainnet', 5n * USDC));
  const remote = createRemoteSigner({ url, secret: SECRET });
  const chain = chainOf(shared, 'base-mainnet');
  let [signed, held] = [0, 0];
  for (const intent of intents) {
    try {
      const bytes = await remote.sign(intent);
      await chain.broadcast(bytes);
      signed += 1;
    } catch (error) {
      assert.match(String(error), /hourly outflow limit/);
      held += 1;
    }
  }
  const allowed = Math.floor((26 - SENT_USD) / 5);
  assert.deepEqual([signed, held], [allowed, intents.length - allowed]);
  const lost = await until('the transfers', async () => {
    const { usdcMicros } = await chain.readBalances(chain.treasury);
    const gone = before.usdcMicros + 40n * USDC - usdcMicros;
    return gone === BigInt(5 * allowed) * USDC ? gone : undefined;
  });
  assert.ok(lost <= 26n * USDC);
  assert.equal((await readPayout(shared.money, intents[7]?.id ?? '')).state, 'queued');
});
