/** Payments on real chains, accepted and refused. A refused transfer is never used up. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { escrow, readBalance, surplusPayable } from '../../packages/server/src/features/ledger/index.ts';
import { findClaim } from '../../packages/server/src/features/payments/repository.ts';
import type { Chain, Finality } from '../../packages/server/src/platform/chains/chain.ts';
import { payWith } from '../harness/hostile-payers.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { createPayer, freshAddress, type Payer } from '../harness/payers.ts';
import { some } from '../harness/thoroughness.ts';
import { chainOf, type Money, NETWORKS, openMoney, outcomeOf, present, requestFor, requireSound, USDC } from './money.ts';

let market: TestMarket;
let money: Money;
before(async () => {
  market = await openMarket({ ...withOwnChains });
  money = await openMoney(market);
});
after(async () => {
  money.clock.stop();
  await market.close();
});

async function isClaimed(network: NetworkName, reference: string): Promise<boolean> {
  return (await findClaim(market.database.db, { caip2: chainOf(money, network).caip2, reference })) !== undefined;
}

/** The same books and chains, with one chain that reports less finality than there is. */
function withFinality(network: NetworkName, finality: Finality): Money {
  const chain = chainOf(money, network);
  const hesitant: Chain = {
    ...chain,
    async readReceipt(reference) {
      const reading = await chain.readReceipt(reference);
      return reading.state === 'landed' ? { ...reading, receipt: { ...reading.receipt, finality } } : reading;
    },
  };
  return { ...money, chains: new Map(money.chains).set(network, hesitant) };
}

suite('payments on each network', { concurrency: NETWORKS.length }, () => {
  for (const network of some(NETWORKS.toReversed(), 2)) {
    suite(`a payment on ${network}`, { concurrency: 1 }, () => {
      let payer: Payer;
      let treasury: string;
      before(async () => {
        payer = await createPayer(market, network);
        ({ treasury } = chainOf(money, network));
      });

      test(`a payment on ${network} counts exactly once: the price into escrow, the surplus to the payer’s credit, one event`, async () => {
        const reference = await payer.pay(treasury, 5n * USDC + 1_234_567n);
        const request = requestFor(money, network, reference, { payers: [payer.address] });
        assert.equal(await present(money, request), 'granted');
        assert.equal(await present(money, request), 'repeated');
        assert.equal(await readBalance(market.database.db, escrow(network, request.subjectId)), 5n * USDC);
        assert.equal(await readBalance(market.database.db, surplusPayable(network, payer.address)), 1_234_567n);
        const events = await market.database.db.selectFrom('events').selectAll().where('subjectId', '=', request.subjectId).execute();
        assert.deepEqual(
          events.map(({ type, data }) => ({ type, data })),
          [{ type: 'payment.claimed', data: { network, reference, payer: payer.address, purpose: 'order' } }],
        );
      });

      test(`M14: a payment on ${network} belongs to the owner of the money, not to the sender of the transaction`, async () => {
        const sponsor = await createPayer(market, network);
        const reference = await payWith(payer, { how: 'sponsored', to: treasury, micros: 5n * USDC, sponsor });
        assert.equal(await outcomeOf(money, requestFor(money, network, reference, { payers: [sponsor.address] })), 'payment_wrong_payer');
        assert.equal(await outcomeOf(money, requestFor(money, network, reference, { payers: [payer.address] })), 'granted');
      });

      test(`M07: a payment in another token on ${network} is refused`, async () => {
        const reference = await payWith(payer, { how: 'look_alike', to: treasury, micros: 5n * USDC });
        assert.equal(await outcomeOf(money, requestFor(money, network, reference)), 'payment_not_received');
        assert.equal(await isClaimed(network, reference), false);
      });

      test(`M08: a payment to another recipient on ${network} is refused`, async () => {
        const reference = await payer.pay(freshAddress(network), 5n * USDC);
        assert.equal(await outcomeOf(money, requestFor(money, network, reference)), 'payment_not_received');
        assert.equal(await isClaimed(network, reference), false);
      });

      test(`M11: a payment that failed on ${network} is refused`, async () => {
        const reference = await payWith(payer, { how: 'failing', to: treasury });
        assert.equal(await outcomeOf(money, requestFor(money, network, reference)), 'payment_failed');
        assert.equal(await isClaimed(network, reference), false);
      });

      test(`M09: a payment one micro-USDC short on ${network} is refused, and can still pay for something cheaper`, async () => {
        const reference = await payer.pay(treasury, 5n * USDC - 1n);
        assert.equal(await outcomeOf(money, requestFor(money, network, reference)), 'payment_underpaid');
        assert.equal(await isClaimed(network, reference), false);
        assert.equal(await outcomeOf(money, requestFor(money, network, reference, { expectedMicros: 5n * USDC - 1n })), 'granted');
      });

      test(`a payment by another payer on ${network} is refused, and its payer can still use it`, async () => {
        const reference = await payer.pay(treasury, 5n * USDC);
        const thief = freshAddress(network);
        assert.equal(await outcomeOf(money, requestFor(money, network, reference, { payers: [thief] })), 'payment_wrong_payer');
        assert.equal(await isClaimed(network, reference), false);
        assert.equal(await outcomeOf(money, requestFor(money, network, reference, { payers: [payer.address] })), 'granted');
      });

      test(`a large payment on ${network} counts when it is final, a small one when it is confirmed`, async () => {
        const [large, small] = [await payer.pay(treasury, 100n * USDC), await payer.pay(treasury, 5n * USDC)];
        const confirmed = withFinality(network, 'confirmed');
        const request = requestFor(money, network, large, { expectedMicros: 100n * USDC });
        assert.equal(await outcomeOf(confirmed, request), 'payment_not_final');
        assert.equal(await outcomeOf(withFinality(network, 'seen'), requestFor(money, network, small)), 'payment_not_final');
        assert.equal(await isClaimed(network, large), false);
        assert.equal(await outcomeOf(money, request), 'granted');
        assert.equal(await outcomeOf(confirmed, requestFor(money, network, small)), 'granted');
      });

      test(`C07: a payment with a large surplus on ${network} counts when it is final`, async () => {
        const reference = await payer.pay(treasury, 100n * USDC);
        const request = requestFor(money, network, reference);
        assert.equal(await outcomeOf(withFinality(network, 'confirmed'), request), 'payment_not_final');
        assert.equal(await outcomeOf(money, request), 'granted');
      });

      test(`C11: a payment is granted as soon as ${network} reports it final, and not before`, async () => {
        const reference = await payer.pay(treasury, 100n * USDC, 'sent');
        const request = requestFor(money, network, reference, { expectedMicros: 100n * USDC });
        const refusals = new Set<string>();
        let outcome = await outcomeOf(money, request);
        for (let look = 0; outcome !== 'granted' && look < 400; look++) {
          refusals.add(outcome);
          outcome = await outcomeOf(money, request);
        }
        assert.equal(outcome, 'granted');
        assert.deepEqual(
          [...refusals].filter((code) => code !== 'payment_not_found' && code !== 'payment_not_final'),
          [],
        );
      });

      test(`C11: a payment unknown to every node of ${network} is not found`, async () => {
        const unknown = network === 'solana-mainnet' ? `${'5'.repeat(87)}` : `0x${'ab'.repeat(32)}`;
        assert.equal(await outcomeOf(money, requestFor(money, network, unknown)), 'payment_not_found');
      });
    });
  }
});

suite('a payment on one network', () => {
  test('M05: a payment is not found on other networks and can still be claimed on its own', async () => {
    for (const [network, other] of [
      ['base-mainnet', 'alt-mainnet'],
      ['alt-mainnet', 'base-mainnet'],
    ] as const) {
      const payer = await createPayer(market, network);
      const reference = await payer.pay(chainOf(money, network).treasury, 5n * USDC);
      assert.equal(await outcomeOf(money, requestFor(money, other, reference)), 'payment_not_found');
      assert.equal(await outcomeOf(money, requestFor(money, 'solana-mainnet', reference)), 'invalid_payment_reference');
      assert.equal(await outcomeOf(money, requestFor(money, network, reference)), 'granted');
    }
  });
});

suite('an old payment', () => {
  test('an old payment is refused for a newer order and after its maximum age', async () => {
    const paid: { network: NetworkName; reference: string; at: Date }[] = [];
    for (const network of NETWORKS) {
      const payer = await createPayer(market, network);
      const at = money.clock.now();
      paid.push({ network, reference: await payer.pay(chainOf(money, network).treasury, 5n * USDC), at });
    }
    await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: 3_700 } });
    await money.clock.synchronise();
    for (const { network, reference, at } of paid) {
      assert.equal(await outcomeOf(money, requestFor(money, network, reference)), 'payment_too_old', network);
      const stale = requestFor(money, network, reference, { payableSince: at, maxAgeSeconds: 3_600 });
      assert.equal(await outcomeOf(money, stale), 'payment_too_old', network);
      assert.equal(await isClaimed(network, reference), false);
      assert.equal(await outcomeOf(money, requestFor(money, network, reference, { payableSince: at })), 'granted', network);
    }
  });

  test('the books are sound after payments on each network', async () => {
    await requireSound(money);
  });
});
