/** Limits on outgoing money: rent for token accounts, the hourly limit, missing gas, and altered wallet keys. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Address } from '@solana/addresses';
import { deriveTokenAccount } from '../../packages/server/src/platform/chains/solana/token-account.ts';
import { closeTokenAccount } from '../../packages/server/testing/solana-test-instructions.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { act, deliver, listService, openBuyer, openProvider, payOrder, placeOrder, readOrder } from '../harness/orders.ts';
import { createPayer, freshAddress, type Payer, type SolanaPayer } from '../harness/payers.ts';
import { isThorough, some, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { chainOf, type Money, openMoney, requireSound, USDC, until } from './money.ts';
import { payForOrder, queueOutgoing, readPayout, requirePaidOnce, untilState } from './outgoing.ts';

const SOLANA = 'solana-mainnet';
const RENT = 2_039_280n;
/** Rent for five accounts a day. */
const CAP_SOL = '0.0102';
const CAP_LAMPORTS = 10_200_000n;
const DUST = 11_000n;

let market: TestMarket;
let money: Money;
let payer: SolanaPayer;
before(async () => {
  market = await openMarket({
    ...withOwnChains,
    PAYOUT_ACCOUNT_FROM_USD: '1.00',
    PAYOUT_ACCOUNTS_SOL_PER_DAY: CAP_SOL,
    OUTFLOW_HOURLY_USD: '60',
    OUTFLOW_FLOAT_USD: '45',
  });
  money = await openMoney(market);
  payer = (await createPayer(market, SOLANA)) as SolanaPayer;
});
after(async () => {
  money.clock.stop();
  await market.close();
});

async function advanceClock(seconds: number): Promise<void> {
  assert.equal((await call(market.url, 'POST /sandbox/clock', { body: { advance_seconds: seconds } })).status, 200);
  await money.clock.synchronise();
}

async function pay(amountMicros: bigint, destination: string = freshAddress(SOLANA), from: Payer = payer) {
  const { network } = from.chain;
  const subjectId = await payForOrder(money, from, amountMicros);
  return await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros, destination });
}

const treasuryLamports = async (): Promise<bigint> => (await chainOf(money, SOLANA).readBalances(chainOf(money, SOLANA).treasury)).native;

suite('token accounts on Solana', () => {
  test('M29: dust payouts on Solana open no token account and are parked with a reason; larger ones open accounts up to the daily cap', async () => {
    const before = await treasuryLamports();
    const dust = [];
    for (let hire = 0; hire < times(3, 12); hire++) dust.push(await pay(DUST));
    for (const { id } of dust) assert.match((await untilState(money, id, 'parked')).reason ?? '', /no USDC account.*from 1\.00 USDC on/);
    assert.equal(await treasuryLamports(), before, 'dust costs nothing');

    const larger = [];
    for (let hire = 0; hire < 8; hire++) larger.push(await pay(USDC));
    const ends = [];
    for (const { id } of larger) {
      ends.push(
        await until('an end', async () => {
          const payout = await readPayout(money, id);
          return ['confirmed', 'parked'].includes(payout.state) ? payout : undefined;
        }),
      );
    }
    assert.equal(ends.filter(({ state }) => state === 'confirmed').length, 5);
    for (const { reason } of ends.filter(({ state }) => state === 'parked')) assert.match(reason ?? '', /as many USDC accounts today/);
    const spent = before - (await treasuryLamports());
    const fees = 5n * 100_000n;
    assert.ok(spent >= 5n * RENT && spent <= CAP_LAMPORTS + fees, `${spent} lamports`);
    await requireSound(money);
  });

  test('M29: a recipient who closes the token account for its rent gets no new one that day, and is paid once one exists', async () => {
    await advanceClock(86_401);
    const thief = (await createPayer(market, SOLANA, 0n)) as SolanaPayer;
    const first = await pay(USDC, thief.address);
    await untilState(money, first.id, 'confirmed');
    const mint = thief.chain.usdcAddress as Address;
    const account = await deriveTokenAccount(thief.wallet.address, mint);
    await thief.pay(payer.address, USDC, 'confirmed');
    await thief.send([closeTokenAccount(account, thief.wallet.address, thief.wallet.address)], [thief.wallet]);
    await until('the account being closed', async () => ((await thief.chain.canReceive(thief.address)) ? undefined : true));

    const before = await treasuryLamports();
    const second = await pay(USDC, thief.address);
    assert.match((await untilState(money, second.id, 'parked')).reason ?? '', /was closed again/);
    assert.equal(await treasuryLamports(), before);

    await payer.pay(thief.address, 1n);
    await advanceClock(31);
    await untilState(money, second.id, 'confirmed');
    assert.equal((await thief.chain.readBalances(thief.address)).usdcMicros, USDC + 1n);
  });

  test('M29: several small payouts to one Solana address open its token account together, and each is paid once', async () => {
    await advanceClock(86_401);
    const destination = freshAddress(SOLANA);
    const parts = [await pay(400_000n, destination), await pay(400_000n, destination)];
    for (const { id } of parts) await untilState(money, id, 'parked');
    parts.push(await pay(400_000n, destination));
    for (const { id } of parts) {
      await until('a payout', async () => {
        await advanceClock(31);
        return (await readPayout(money, id)).state === 'confirmed' ? true : undefined;
      });
    }
    assert.equal((await chainOf(money, SOLANA).readBalances(destination)).usdcMicros, 1_200_000n);
  });
});

test('M27: a provider’s payout retry is refused with the reason while the payout cannot arrive, then paid', async () => {
  const provider = await openProvider(market.url, SOLANA);
  const buyer = await openBuyer(market, SOLANA);
  const serviceId = await listService(market.url, provider, { price_usd: '0.50' });
  const orderId = await placeOrder(market.url, serviceId, buyer);
  const path = `POST /api/orders/${orderId}/request-payout-retry` as const;
  const retry = () => call(market.url, path, { headers: provider.headers });
  await payOrder(market.url, orderId, buyer);
  assert.equal((await retry()).body['code'], 'illegal_transition', 'nothing is owed yet');
  assert.equal((await deliver(market.url, orderId, provider)).status, 200);
  assert.equal((await act(market.url, orderId, buyer, 'approve')).status, 200);
  const payout = await until(
    'the payout',
    async () =>
      (await money.database.db.selectFrom('payouts').selectAll().where('subjectId', '=', orderId).executeTakeFirst()) ?? undefined,
  );
  await untilState(money, payout.id, 'parked');

  const refused = await retry();
  assert.equal(refused.status, 422, JSON.stringify(refused.body));
  assert.match(refused.body['error'], /has no USDC account.*Open the USDC account of/);
  assert.equal((await readPayout(money, payout.id)).state, 'parked');

  await payer.pay(payout.destination, 1n);
  const accepted = await retry();
  // The market may have noticed the new account a moment before.
  assert.ok(accepted.status === 200 || accepted.body['code'] === 'payout_not_stuck', JSON.stringify(accepted.body));
  await untilState(money, payout.id, 'confirmed');
  assert.equal((await chainOf(money, SOLANA).readBalances(payout.destination)).usdcMicros, payout.amountMicros + 1n);
  assert.equal((await retry()).body['code'], 'payout_already_sent');
});

suite('a treasury without gas', () => {
  for (const network of some(['alt-mainnet', SOLANA] as const, 1)) {
    test(`M27: on ${network} a payout waits while the treasury cannot pay the fee, and is paid once when it can`, async () => {
      await advanceClock(86_401);
      const rich = await createPayer(market, network);
      const subjectId = await payForOrder(money, rich, 2n * USDC);
      const chain = chainOf(money, network);
      const { native } = await chain.readBalances(chain.treasury);
      const left = network === SOLANA ? 900_000n : 10n ** 12n;
      const fee = network === SOLANA ? 50_000n : 21_000n * 10n ** 10n;
      const drain = { intentId: `drain_${network}`, destination: rich.address, asset: 'native', amount: native - left - fee } as const;
      await chain.broadcast(await chain.signTransfer(drain));
      await until('the treasury being empty', async () =>
        (await chain.readBalances(chain.treasury)).native < native / 2n ? true : undefined,
      );

      const payout = await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 2n * USDC });
      await until('the payout waiting', async () => {
        const { state, reason } = await readPayout(money, payout.id);
        return state === 'queued' && /(SOL|ETH)/.test(reason ?? '') ? true : undefined;
      });
      // A later attempt finds that the delay was announced already.
      await advanceClock(31);
      const told = `select data->>'payout_id' as id from events where subject_id = $1 and type = 'payout.delayed'`;
      assert.deepEqual((await money.database.pool.query(told, [subjectId])).rows, [{ id: payout.id }]);
      await market.localChains?.fund({ network, address: chain.treasury, usdcMicros: 0n, native });
      await until('the payout after the refill', async () => {
        await advanceClock(31);
        return (await readPayout(money, payout.id)).state === 'confirmed' ? true : undefined;
      });
      await requirePaidOnce(money, payout);
    });
  }
});

test('K02, K08: an altered wallet key, or one of another address, stops the payout with 503 and changes nothing', async () => {
  const network = 'base-mainnet';
  // The agent is paid to its custodial wallet, because its owner has a wallet of the other kind only.
  const provider = await openProvider(market.url, SOLANA);
  const { pool } = money.database;
  const buyer = await openBuyer(market, network);
  const orderId = await placeOrder(market.url, await listService(market.url, provider), buyer);
  await payOrder(market.url, orderId, buyer);
  assert.equal((await deliver(market.url, orderId, provider)).status, 200);
  const { rows } = await pool.query(`select address, sealed_key from agent_wallets where agent_id = $1 and kind = 'evm'`, [provider.id]);
  const [{ address, sealed_key: sealedKey }] = rows;
  const write = (to: { address: string; key: string }) =>
    pool.query(`update agent_wallets set address = $2, sealed_key = $3 where agent_id = $1 and kind = 'evm'`, [
      provider.id,
      to.address,
      to.key,
    ]);
  const last = sealedKey.at(-5) === 'A' ? 'B' : 'A';
  const attacks = [
    { address, key: `${sealedKey.slice(0, -5)}${last}${sealedKey.slice(-4)}` },
    { address: freshAddress(network), key: sealedKey },
  ];
  for (const attack of attacks) {
    await write(attack);
    const reply = await act(market.url, orderId, buyer, 'approve');
    assert.equal(reply.status, 503, JSON.stringify(reply.body));
    assert.equal((await readOrder(market.url, orderId, buyer)).order.status, 'delivered');
  }
  await write({ address, key: sealedKey });
  assert.equal((await act(market.url, orderId, buyer, 'approve')).status, 200);
  const payout = await until(
    'the payout',
    async () =>
      (await money.database.db.selectFrom('payouts').selectAll().where('subjectId', '=', orderId).executeTakeFirst()) ?? undefined,
  );
  assert.equal(payout.destination, address);
  await untilState(money, payout.id, 'confirmed');
  await requirePaidOnce(money, payout);
});

test('K09: payouts beyond the hourly limit stay queued with a reason and are sent later', async () => {
  await advanceClock(3_601);
  const network = 'base-mainnet';
  const rich = await createPayer(market, network);
  const subjects: string[] = [];
  for (let order = 0; order < 9; order++) subjects.push(await payForOrder(money, rich, 10n * USDC));
  const burst = await Promise.all(
    subjects.map((subjectId) => queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 10n * USDC })),
  );
  const held = await until('the limit holding three back', async () => {
    const rows = await Promise.all(burst.map(({ id }) => readPayout(money, id)));
    const waiting = rows.filter(({ state, reason }) => state === 'queued' && /hourly outflow limit/.test(reason ?? ''));
    return waiting.length === 3 && rows.filter(({ state }) => state === 'confirmed').length === 6 ? waiting : undefined;
  });
  const metrics = await (await fetch(`${market.url}/metrics`)).text();
  assert.match(metrics, /market_outflow_hour_usdc 60\b/);
  assert.match(metrics, /market_payouts_queued 3\b/);
  assert.equal(held.length, 3);
  await advanceClock(3_601);
  for (const payout of burst) {
    await untilState(money, payout.id, 'confirmed');
    await requirePaidOnce(money, payout);
  }
  await requireSound(money);
});

test('C06: a payout whose transaction does not land is replaced under its nonce with a higher fee, and pays once', {
  skip: !isThorough && THOROUGH_ONLY,
}, async () => {
  await advanceClock(3_601);
  const network = 'alt-mainnet';
  const rich = await createPayer(market, network);
  const subjects = [await payForOrder(money, rich, 2n * USDC), await payForOrder(money, rich, 2n * USDC)];
  await market.localChains?.setFault({ network, mode: 'drop_tx' });
  const [front] = await Promise.all(
    subjects.slice(0, 1).map((subjectId) => queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 2n * USDC })),
  );
  assert.ok(front);
  await until('a transaction that was lost', async () => ((await readPayout(money, front.id)).state === 'sent' ? true : undefined));
  const attempts = async () =>
    await money.database.db.selectFrom('outgoingAttempts').selectAll().where('intentId', '=', front.id).orderBy('number').execute();
  await until('the replacement', async () => {
    await advanceClock(20);
    return (await attempts()).length > 1 ? true : undefined;
  });
  const [stuck, replacement] = await attempts();
  assert.equal(stuck?.state, 'replaced');
  assert.equal(replacement?.validity, stuck?.validity, 'the same account nonce');
  await market.localChains?.setFault({ network, mode: 'none' });
  // A later payout may take the nonce of lost bytes, which are then signed anew; so it is queued after the replacement landed.
  await untilState(money, front.id, 'confirmed');
  const behind = await queueOutgoing(money, { purpose: 'payout', network, subjectId: subjects[1] ?? '', amountMicros: 2n * USDC });
  await untilState(money, behind.id, 'confirmed');
  for (const payout of [front, behind]) await requirePaidOnce(money, payout);
  assert.equal((await attempts()).length, 2, 'the whole ceiling is offered once');
  await requireSound(money);
});
