/** `payout_chain`: an agent may be paid on another chain than it earned on, up to the marketplace's own balance there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { findAgent } from '../../packages/server/src/features/agents/index.ts';
import { agentPayable, escrow, interchain, platformFee, post, readBalance } from '../../packages/server/src/features/ledger/index.ts';
import { listPayoutsOf, type PayoutRow, queueAgentPayout } from '../../packages/server/src/features/payouts/index.ts';
import type { Tx } from '../../packages/server/src/platform/db/database.ts';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { createPayer, freshAddress, type Payer } from '../harness/payers.ts';
import { type Money, NETWORKS, openMoney, requireSound, USDC } from './money.ts';
import { payForOrder, requirePaidOnce, untilState } from './outgoing.ts';

let market: TestMarket;
let money: Money;
const payers = new Map<NetworkName, Payer>();

before(async () => {
  market = await openMarket({ ...withChains });
  money = await openMoney(market);
  for (const network of NETWORKS) payers.set(network, await createPayer(market, network));
});
after(async () => {
  money.clock.stop();
  await market.close();
});

function pay(network: NetworkName, micros: bigint): Promise<string> {
  const payer = payers.get(network);
  assert.ok(payer);
  return payForOrder(money, payer, micros);
}

/** Turns a whole order into fee, so that the marketplace owns USDC on this network. */
async function earnFees(network: NetworkName, micros: bigint): Promise<void> {
  const subjectId = await pay(network, micros);
  const entries = [
    { account: escrow(network, subjectId), micros: -micros },
    { account: platformFee(network), micros },
  ];
  await money.database.transaction((tx) => post(tx, { kind: 'fee', subjectId, idempotencyKey: `fee:${subjectId}`, entries }));
}

async function agentWith(edit: Record<string, unknown>): Promise<TestAgent> {
  const agent = await registerAgent(market.url);
  await expectCall(market.url, 200, 'PATCH /api/agents/me', { key: agent.key, body: edit });
  return agent;
}

async function queueAndRead(tx: Tx, request: Parameters<typeof queueAgentPayout>[2]): Promise<PayoutRow> {
  await queueAgentPayout(tx, money, request);
  const [payout] = await listPayoutsOf(tx, [request.subjectId]);
  assert.ok(payout);
  return payout;
}

/** Pays for an order, credits the agent with all of it, and queues the payout. */
async function earnAndPayOut({ id }: TestAgent, network: NetworkName, amountMicros: bigint): Promise<PayoutRow> {
  const subjectId = await pay(network, amountMicros);
  const agent = await findAgent(money.database.db, id);
  assert.ok(agent);
  const owed = agentPayable(network, id);
  return await money.database.transaction(async (tx) => {
    const entries = [
      { account: escrow(network, subjectId), micros: -amountMicros },
      { account: owed, micros: amountMicros },
    ];
    await post(tx, { kind: 'escrow_released', subjectId, idempotencyKey: `release:${subjectId}`, entries });
    return await queueAndRead(tx, {
      subjectId,
      paidBy: { network, reference: subjectId },
      agent,
      sourceNetwork: network,
      amountMicros,
      from: owed,
    });
  });
}

test('an agent without a chosen chain is paid on the network of the payment', async () => {
  await earnFees('solana-mainnet', 2n * USDC);
  const payout_wallet = freshAddress('solana-mainnet');
  const agent = await agentWith({ payout_wallet });
  assert.equal((await expectCall(market.url, 200, 'GET /api/agents/me', { key: agent.key }))['payout_chain'], 'solana');
  for (const network of NETWORKS) {
    const payout = await earnAndPayOut(agent, network, USDC);
    assert.equal(payout.network, network);
    if (network === 'solana-mainnet') assert.equal(payout.destination, payout_wallet);
    await untilState(money, payout.id, 'confirmed');
  }
});

test('an agent with another chain is paid there while the platform float suffices, otherwise on the network of the payment', async () => {
  const payout_wallet = freshAddress('solana-mainnet');
  const agent = await agentWith({ payout_chain: 'solana', payout_wallet });
  const float = await readBalance(money.database.db, platformFee('solana-mainnet'));
  assert.equal(float, 2n * USDC);

  const tooMuch = await earnAndPayOut(agent, 'base-mainnet', float + 1n);
  assert.equal(tooMuch.network, 'base-mainnet');
  const redirected = await earnAndPayOut(agent, 'alt-mainnet', float);
  assert.deepEqual([redirected.network, redirected.destination], ['solana-mainnet', payout_wallet]);
  assert.equal(await readBalance(money.database.db, interchain('solana-mainnet')), -float);
  assert.equal(await readBalance(money.database.db, interchain('alt-mainnet')), float);
  const nothingLeft = await earnAndPayOut(agent, 'base-mainnet', 1n);
  assert.equal(nothingLeft.network, 'base-mainnet');

  for (const { id } of [tooMuch, redirected, nothingLeft]) await untilState(money, id, 'confirmed');
  await requirePaidOnce(money, redirected);
  await requireSound(money);
});

test('money kept on a network by redirected payouts funds redirects in the other direction', async () => {
  await earnFees('solana-mainnet', 3n * USDC);
  const toSolana = await agentWith({ payout_chain: 'solana', payout_wallet: freshAddress('solana-mainnet') });
  const toBase = await agentWith({ payout_chain: 'base', payout_address_base: freshAddress('base-mainnet') });
  assert.equal(await readBalance(money.database.db, platformFee('base-mainnet')), 0n);
  assert.equal((await earnAndPayOut(toBase, 'solana-mainnet', USDC)).network, 'solana-mainnet');
  assert.equal((await earnAndPayOut(toSolana, 'base-mainnet', 3n * USDC)).network, 'solana-mainnet');
  const back = await earnAndPayOut(toBase, 'solana-mainnet', 2n * USDC);
  assert.equal(back.network, 'base-mainnet');
  await untilState(money, back.id, 'confirmed');
  await requirePaidOnce(money, back);
  assert.equal(await readBalance(money.database.db, interchain('base-mainnet')), USDC);
});

test('of eight parallel payouts to another chain with float for three, three are redirected', async () => {
  const free =
    (await readBalance(money.database.db, platformFee('solana-mainnet'))) +
    (await readBalance(money.database.db, interchain('solana-mainnet')));
  await earnFees('solana-mainnet', 3n * USDC - free);
  const { id } = await agentWith({ payout_chain: 'solana' });
  const agent = await findAgent(money.database.db, id);
  assert.ok(agent);
  const sourceNetwork = 'base-mainnet';
  const order = await pay(sourceNetwork, 8n * USDC);
  const request = { agent, sourceNetwork, amountMicros: USDC, from: escrow(sourceNetwork, order) } as const;
  const payouts = await Promise.all(
    Array.from({ length: 8 }, (_, part) =>
      money.database.transaction((tx) =>
        queueAndRead(tx, { ...request, subjectId: `${order}_${part}`, paidBy: { network: sourceNetwork, reference: `${order}_${part}` } }),
      ),
    ),
  );
  assert.deepEqual(payouts.map(({ network }) => network).sort(), [
    ...Array.from({ length: 5 }, () => 'base-mainnet'),
    ...Array.from({ length: 3 }, () => 'solana-mainnet'),
  ]);
  for (const payout of payouts) await untilState(money, payout.id, 'confirmed');
  await requireSound(money);
});
