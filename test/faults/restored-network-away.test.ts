/** A dump is restored into the same database while the node of a network on which lost books paid is down. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { findAgent } from '../../packages/server/src/features/agents/index.ts';
import { agentPayable, escrow, platformFee, post } from '../../packages/server/src/features/ledger/index.ts';
import { listPayoutsOf, type PayoutRow, queueAgentPayout } from '../../packages/server/src/features/payouts/index.ts';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { createPayer, freshAddress } from '../harness/payers.ts';
import { chainOf, requireSound, USDC } from '../money/money.ts';
import { payForOrder, queueOutgoing, readPayout, untilState } from '../money/outgoing.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { dump, putBack } from './dump-in-place.ts';
import { holdsFor, readReason, reconcile, startCompared, untilHurried } from './restored-stage.ts';

const [PAID_ON, CHOSEN]: [NetworkName, NetworkName] = ['solana-mainnet', 'base-mainnet'];
const AMOUNT = 20n * USDC;

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

async function payOut({ id }: TestAgent, subjectId: string): Promise<PayoutRow> {
  const { money } = shared;
  const agent = await findAgent(money.database.db, id);
  assert.ok(agent);
  const owed = agentPayable(PAID_ON, id);
  return await money.database.transaction(async (tx) => {
    const entries = [
      { account: escrow(PAID_ON, subjectId), micros: -AMOUNT },
      { account: owed, micros: AMOUNT },
    ];
    await post(tx, { kind: 'escrow_released', subjectId, idempotencyKey: `release:${subjectId}`, entries });
    const paidBy = { network: PAID_ON, reference: subjectId };
    await queueAgentPayout(tx, money as never, { subjectId, paidBy, agent, sourceNetwork: PAID_ON, amountMicros: AMOUNT, from: owed });
    const [payout] = await listPayoutsOf(tx, [subjectId]);
    assert.ok(payout);
    return payout;
  });
}

/** The marketplace's own money covers payouts that leave on another network than their payment. */
async function earnFees(micros: bigint): Promise<void> {
  const { money } = shared;
  const fees = await payForOrder(money, await createPayer(shared, CHOSEN), micros);
  const entries = [
    { account: escrow(CHOSEN, fees), micros: -micros },
    { account: platformFee(CHOSEN), micros },
  ];
  await money.database.transaction((tx) => post(tx, { kind: 'fee', subjectId: fees, idempotencyKey: `fee:${fees}`, entries }));
}

const usdcAt = async (network: NetworkName, address: string) => (await chainOf(shared, network).readBalances(address)).usdcMicros;

test('B05: after a restore nothing leaves on any network until the one whose node was down has been compared', async () => {
  const { money, localChains } = shared;
  const first = await startCompared(shared);
  const agent = await registerAgent(first.url);
  const [paidTo, chosenTo] = [freshAddress(PAID_ON), freshAddress(CHOSEN)];
  await expectCall(first.url, 200, 'PATCH /api/agents/me', {
    key: agent.key,
    body: { payout_wallet: paidTo, payout_address_base: chosenTo },
  });
  await earnFees(100n * USDC);
  const order = await payForOrder(money, await createPayer(shared, PAID_ON), AMOUNT);
  const ofOthers = await payForOrder(money, await createPayer(shared, CHOSEN), 3n * USDC);
  await first.kill('SIGTERM');
  await dump(shared);

  const lost = await shared.startServer();
  const paid = await payOut(agent, order);
  await untilState(money, paid.id, 'confirmed', 120);
  await lost.kill('SIGTERM');
  await putBack(shared);
  await localChains.setFault({ network: PAID_ON, mode: 'down' });

  const second = await shared.startServer();
  await expectCall(second.url, 200, 'PATCH /api/agents/me', { key: agent.key, body: { payout_chain: 'base' } });
  const again = await payOut(agent, order);
  assert.deepEqual([again.id, again.network], [paid.id, CHOSEN]);
  const other = await queueOutgoing(money, { purpose: 'payout', network: CHOSEN, subjectId: ofOthers, amountMicros: 3n * USDC });
  const requirePaidOnce = async () =>
    assert.deepEqual([await usdcAt(PAID_ON, paidTo), await usdcAt(CHOSEN, chosenTo)], [AMOUNT, 0n], 'paid on one network');
  const requireHeld = async () => {
    assert.equal(await usdcAt(CHOSEN, chosenTo), 0n);
    assert.equal(await usdcAt(CHOSEN, other.destination), 0n, 'nothing leaves on another network');
  };
  await holdsFor(shared, 10_000, requireHeld);
  for (const { id } of [again, other]) {
    const { state, reason } = await readPayout(money, id);
    assert.equal(state, 'queued');
    assert.match(reason ?? '', /^solana-mainnet: after a restore nothing leaves until the treasury on Solana has been compared/);
  }
  const { body } = await call(second.url, 'GET /readyz');
  assert.deepEqual(Object.keys(body['data'].outflow_awaits), [PAID_ON]);
  const refused = await reconcile(shared);
  assert.equal(refused.code, 1, refused.output);
  assert.match(refused.output, /solana-mainnet/);
  assert.match((await readReason(shared)) ?? 'open', /market reconcile/);

  await localChains.setFault({ network: PAID_ON, mode: 'none' });
  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  await untilHurried(shared, 'an operator being asked', async () =>
    (await readPayout(money, again.id)).state === 'parked' ? true : undefined,
  );
  await untilHurried(shared, 'the other payout', async () =>
    (await readPayout(money, other.id)).state === 'confirmed' ? true : undefined,
  );
  await requirePaidOnce();
  assert.deepEqual((await call(second.url, 'GET /readyz')).body['data'].outflow_awaits, {});
  await requireSound(money);
  await second.kill('SIGTERM');
});
