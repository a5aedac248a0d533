/** Payouts and refunds: each intent ends as exactly one transfer of the exact amount, despite chain faults. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { escrow, inFlight, interchain, platformFee, post, readBalance, treasury } from '../../packages/server/src/features/ledger/index.ts';
import { claimPayment, verifyPayment } from '../../packages/server/src/features/payments/index.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { createPayer, freshAddress, type Payer, untilLanded } from '../harness/payers.ts';
import { tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { chainOf, type Money, NETWORKS, openMoney, outcomeOf, requestFor, requireSound, USDC, until } from './money.ts';
import { payForOrder, queueOutgoing, readPayout, requirePaidOnce, untilState } from './outgoing.ts';

let market: TestMarket;
let money: Money;
let admin: string;
const payers = new Map<NetworkName, Payer>();
before(async () => {
  market = await openMarket({ ...withOwnChains });
  money = await openMoney(market);
  admin = await tokenFor(market.url, { email: 'treasurer@example.com', admin: true });
  for (const network of NETWORKS) payers.set(network, await createPayer(market, network));
});
after(async () => {
  money.clock.stop();
  await market.close();
});

function payerOn(network: NetworkName): Payer {
  const payer = payers.get(network);
  assert.ok(payer);
  return payer;
}

/** Moves an order's escrow to another network's books, as for a payout on another chain than the payment. */
async function lendAcross(from: NetworkName, to: NetworkName, subjectId: string, micros: bigint): Promise<void> {
  const entries = [
    { account: escrow(from, subjectId), micros: -micros },
    { account: interchain(from), micros },
    { account: interchain(to), micros: -micros },
    { account: escrow(to, subjectId), micros },
  ];
  await money.database.transaction((tx) => post(tx, { kind: 'lent', subjectId, idempotencyKey: `lent:${subjectId}`, entries }));
}

/** Books fees that the chain lacks, so the treasury holds less than it should. Negative amounts undo it. */
async function pretendFees(network: NetworkName, micros: bigint): Promise<void> {
  const entries = [
    { account: treasury(network), micros: -micros },
    { account: platformFee(network), micros },
  ];
  await money.database.transaction((tx) =>
    post(tx, { kind: 'pretended', subjectId: network, idempotencyKey: `pretended:${network}:${micros}`, entries }),
  );
}

async function advanceClock(seconds: number): Promise<void> {
  await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: seconds } });
  await money.clock.synchronise();
}

test('a payout waits while the treasury balance is too low, and is paid once after funding', async () => {
  const network = 'alt-mainnet';
  const subjectId = await payForOrder(money, payerOn('base-mainnet'), 9n * USDC);
  await pretendFees(network, 9n * USDC);
  await lendAcross('base-mainnet', network, subjectId, 9n * USDC);
  const payout = await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 9n * USDC });
  await until('the payout waiting for funds', async () => {
    const { state, reason } = await readPayout(money, payout.id);
    return state === 'queued' && reason?.includes('USDC') ? reason : undefined;
  });
  assert.equal(await readBalance(money.database.db, inFlight(network, payout.id)), 9n * USDC);
  const reference = await payerOn(network).pay(chainOf(money, network).treasury, 9n * USDC);
  const funding = requestFor(money, network, reference, { purpose: 'wallet_funding', expectedMicros: 9n * USDC });
  const verified = await verifyPayment(money, funding);
  await money.database.transaction((tx) => claimPayment(tx, money, verified, platformFee(network)));
  await pretendFees(network, -9n * USDC);
  await advanceClock(31);
  await untilState(money, payout.id, 'confirmed');
  await requirePaidOnce(money, payout);
});

suite('a payout and a refund', { concurrency: 6 }, () => {
  const arrivals = NETWORKS.flatMap((network) => (['payout', 'refund'] as const).map((purpose) => ({ network, purpose })));
  for (const { network, purpose } of some(arrivals, 2)) {
    test(`${purpose} on ${network} arrives as one transfer of the exact amount, with reference, event and clean books`, async () => {
      const payer = await createPayer(market, network);
      const subjectId = await payForOrder(money, payer, 12_345_679n);
      const payout = await queueOutgoing(money, { purpose, network, subjectId, amountMicros: 12_345_679n });
      const again = await queueOutgoing(money, { purpose, network, subjectId, amountMicros: 12_345_679n });
      assert.equal(again.id, payout.id);
      await untilState(money, payout.id, 'confirmed');
      await requirePaidOnce(money, payout);
      assert.equal(await readBalance(money.database.db, inFlight(network, payout.id)), 0n);
      assert.equal(await readBalance(money.database.db, escrow(network, subjectId)), 0n);
      const events = await money.database.db
        .selectFrom('events')
        .select('data')
        .where('type', '=', 'payout.confirmed')
        .where('subjectId', '=', subjectId)
        .execute();
      assert.equal(events.length, 1);
    });
  }
});

suite('a payout during node faults', { concurrency: NETWORKS.length }, () => {
  for (const network of some(NETWORKS, 1)) {
    test(`C03: a payout on ${network} is paid exactly once while its node is down, slow and loses transactions`, async () => {
      const payer = await createPayer(market, network);
      const setFault = async (mode: 'none' | 'down' | 'slow' | 'drop_tx', seconds?: number) =>
        await market.localChains?.setFault({ network, mode, ...(seconds !== undefined && { seconds }) });
      const subjects: string[] = [];
      for (let order = 0; order < 3; order++) subjects.push(await payForOrder(money, payer, 3n * USDC));
      const queue = (order: number) =>
        queueOutgoing(money, { purpose: 'payout', network, subjectId: subjects[order] ?? '', amountMicros: 3n * USDC });

      await setFault('drop_tx');
      const lost = await queue(0);
      await until('a transfer being lost', async () => ((await readPayout(money, lost.id)).state === 'sent' ? true : undefined));
      await setFault('down');
      const unheard = await queue(1);
      await until('a payout noticing', async () => (await readPayout(money, unheard.id)).reason ?? undefined);
      await setFault('slow', 4);
      const delayed = await queue(2);
      for (const payout of [lost, unheard, delayed]) {
        await untilState(money, payout.id, 'confirmed', 90);
        await requirePaidOnce(money, payout);
      }
    });
  }
});

test('M28: a destination that cannot receive parks the payout until an operator names another, which is paid once', async () => {
  const network = 'base-mainnet';
  const subjectId = await payForOrder(money, payerOn(network), 4n * USDC);
  const { treasury } = chainOf(money, network);
  const payout = await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 4n * USDC, destination: treasury });
  await untilState(money, payout.id, 'parked');
  assert.equal(await readBalance(money.database.db, inFlight(network, payout.id)), 4n * USDC);

  const retry = `POST /api/admin/payouts/${payout.id}/retry` as const;
  const refused = await expectCall(market.url, 422, retry, { key: admin, body: { destination: 'nowhere' } });
  assert.equal(refused['code'], 'payout_destination_invalid');
  const { usdcAddress } = chainOf(money, network);
  const precompile = `0x${'9'.padStart(40, '0')}`;
  // Without a destination the retry uses the treasury, at which the payout failed.
  for (const unpayable of [undefined, `0x${'0'.repeat(40)}`, precompile, usdcAddress, usdcAddress.toLowerCase(), treasury]) {
    const body = unpayable === undefined ? {} : { destination: unpayable };
    const answer = await expectCall(market.url, 422, retry, { key: admin, body });
    assert.equal(answer['code'], 'payout_destination_invalid', unpayable);
  }
  assert.equal((await readPayout(money, payout.id)).state, 'parked');
  const destination = freshAddress(network);
  await expectCall(market.url, 200, retry, { key: admin, body: { destination } });
  assert.equal((await untilState(money, payout.id, 'confirmed')).destination, destination);
  await requirePaidOnce(money, payout);
  await expectCall(market.url, 409, retry, { key: admin, body: {} });
});

test('M28: a retry on Solana refuses programs, mints, the treasury and addresses without a key', async () => {
  const network = 'solana-mainnet';
  const subjectId = await payForOrder(money, payerOn(network), 4n * USDC);
  const { treasury, usdcAddress } = chainOf(money, network);
  const payout = await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 4n * USDC, destination: treasury });
  await untilState(money, payout.id, 'parked');
  const retry = `POST /api/admin/payouts/${payout.id}/retry` as const;
  const unpayable = [
    treasury,
    usdcAddress,
    '11111111111111111111111111111111',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    '5AYD2EwUuxNTFYhMxT7f6niEjyAGMHoTstw5E6om7jYa',
  ];
  for (const destination of unpayable) {
    const answer = await expectCall(market.url, 422, retry, { key: admin, body: { destination } });
    assert.equal(answer['code'], 'payout_destination_invalid', destination);
  }
  await expectCall(market.url, 200, retry, { key: admin, body: { destination: freshAddress(network) } });
  await untilState(money, payout.id, 'confirmed');
  await requirePaidOnce(money, payout);
});

suite('a payout reverted by a reorganisation', { concurrency: NETWORKS.length }, () => {
  for (const network of some(NETWORKS.toReversed(), 1)) {
    test(`C08: a payout on ${network} that a reorganisation reverts is paid exactly once in the end`, async () => {
      const payer = await createPayer(market, network);
      const chain = chainOf(money, network);
      const payout = await until('a payout being taken back', async () => {
        const subjectId = await payForOrder(money, payer, 2n * USDC);
        const queued = await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 2n * USDC });
        const reference = await until('its bytes', () => signedReference(queued.id));
        await untilLanded(chain, reference, 'seen');
        await market.localChains?.setFault({ network, mode: 'reorg' });
        return (await chain.readReceipt(reference)).state === 'missing' ? queued : undefined;
      });
      await untilState(money, payout.id, 'confirmed');
      await requirePaidOnce(money, payout);
    });
  }
});

async function signedReference(payoutId: string): Promise<string | undefined> {
  const attempts = money.database.db.selectFrom('outgoingAttempts').select('reference').where('intentId', '=', payoutId);
  return (await attempts.executeTakeFirst())?.reference;
}

test('the books are sound after payouts and refunds', async () => {
  await requireSound(money);
});

suite('a payment reverted by a reorganisation', { concurrency: NETWORKS.length }, () => {
  for (const network of some(NETWORKS, 1)) {
    test(`C07: a payment that a reorganisation reverts on ${network} is marked gone with an event, and no payout is sent for it`, async () => {
      const payer = await createPayer(market, network);
      const chain = chainOf(money, network);
      const reverted = await until('a claim on a payment that is then taken back', async () => {
        const reference = await payer.pay(chain.treasury, 6n * USDC, 'confirmed');
        const request = requestFor(money, network, reference, { expectedMicros: 6n * USDC });
        assert.equal(await outcomeOf(money, request), 'granted');
        await market.localChains?.setFault({ network, mode: 'reorg' });
        return (await chain.readReceipt(reference)).state === 'missing' ? request : undefined;
      });
      const { db } = money.database;
      const { subjectId } = reverted;
      const payout = await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 6n * USDC });
      await until('the receipt being marked', async () => {
        const receipt = await db.selectFrom('chainReceipts').selectAll().where('reference', '=', reverted.reference).executeTakeFirst();
        return receipt?.finality === 'gone' ? true : undefined;
      });
      const events = await db.selectFrom('events').select('type').where('subjectId', '=', subjectId).orderBy('id').execute();
      assert.deepEqual(
        events.map(({ type }) => type),
        ['payment.claimed', 'payment.reverted'],
      );
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      const waiting = await readPayout(money, payout.id);
      assert.equal(waiting.state, 'queued');
      assert.match(waiting.reason ?? '', /took the payment back/);
      assert.equal((await chain.readBalances(payout.destination)).usdcMicros, 0n);
    });
  }
});
