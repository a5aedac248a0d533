/** Transfers: used for one purpose in any spelling, found by the watcher, refunded once. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import fc from 'fast-check';
import type { PaymentRequest } from '../../packages/server/src/features/payments/index.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { createPayer, type Payer } from '../harness/payers.ts';
import { tokenFor } from '../harness/people.ts';
import { chainOf, type Money, NETWORKS, openMoney, outcomeOf, requestFor, requireSound, USDC, until } from './money.ts';

let market: TestMarket;
let money: Money;
let admin: string;
before(async () => {
  market = await openMarket({ ...withChains });
  money = await openMoney(market);
  admin = await tokenFor(market.url, { email: 'treasurer@example.com', admin: true });
});
after(async () => {
  money.clock.stop();
  await market.close();
});

/** Without registrations, because the audit would ask for the agent of a mere claim. */
const PURPOSES: readonly PaymentRequest['purpose'][] = ['order', 'x402', 'bounty', 'earn', 'wallet_funding', 'refund'];

async function payInto(network: NetworkName, micros = 5n * USDC, payer?: Payer): Promise<string> {
  return await (payer ?? (await createPayer(market, network))).pay(chainOf(money, network).treasury, micros);
}

suite('a used reference', { concurrency: 5 }, () => {
  for (const network of NETWORKS) {
    test(`M02: a used reference on ${network} is refused for every other purpose and subject`, async () => {
      const payer = await createPayer(market, network);
      for (const first of PURPOSES) {
        const request = requestFor(money, network, await payInto(network, 5n * USDC, payer), { purpose: first });
        assert.equal(await outcomeOf(money, request), 'granted');
        for (const second of [...PURPOSES, 'registration'] as const) {
          const other = requestFor(money, network, request.reference, { purpose: second });
          assert.equal(await outcomeOf(money, other), 'payment_already_used', `${first} then ${second}`);
          if (second === first) continue;
          const sameSubject = { ...request, purpose: second };
          assert.equal(await outcomeOf(money, sameSubject), 'payment_already_used', `${first} then ${second} for the same subject`);
        }
      }
    });
  }

  test('M03: a used reference is the same in every spelling, and no spelling is granted again', async () => {
    const reference = await payInto('base-mainnet');
    assert.equal(await outcomeOf(money, requestFor(money, 'base-mainnet', reference)), 'granted');
    const blank = fc.stringMatching(/^[ \t\r\n\u00a0\ufeff]{0,3}$/);
    const digits = fc.tuple(...[...reference.slice(2)].map((digit) => fc.constantFrom(digit, digit.toUpperCase())));
    const spelling = fc
      .tuple(blank, fc.constantFrom('0x', '0X', '', '0x0x', '0x '), digits, blank)
      .map(([before, prefix, text, behind]) => before + prefix + text.join('') + behind);
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(spelling, async (spelled) => {
        const outcome = await outcomeOf(money, requestFor(money, 'base-mainnet', spelled));
        outcomes.add(outcome);
        return outcome === 'payment_already_used' || outcome === 'invalid_payment_reference';
      }),
      { numRuns: 200 },
    );
    assert.deepEqual([...outcomes].sort(), ['invalid_payment_reference', 'payment_already_used']);
  });

  test('M03: a reference on Solana is the same with blanks around it, and its other letter cases are refused', async () => {
    const reference = await payInto('solana-mainnet');
    assert.equal(await outcomeOf(money, requestFor(money, 'solana-mainnet', reference)), 'granted');
    for (const spelled of [` ${reference}`, `${reference}\n`, `\t${reference}\u00a0`]) {
      assert.equal(await outcomeOf(money, requestFor(money, 'solana-mainnet', spelled)), 'payment_already_used');
    }
    for (const spelled of [reference.toLowerCase(), reference.toUpperCase(), `1${reference}`, reference.slice(1)]) {
      const outcome = await outcomeOf(money, requestFor(money, 'solana-mainnet', spelled));
      assert.ok(outcome === 'invalid_payment_reference' || outcome === 'payment_not_found', outcome);
    }
  });
});

async function listUnmatched(): Promise<readonly Record<string, string>[]> {
  return (await expectCall(market.url, 200, 'GET /api/admin/receipts/unmatched?limit=500', { key: admin })) as Record<string, string>[];
}

suite('an unmatched transfer', { concurrency: 4 }, () => {
  for (const network of NETWORKS) {
    test(`M24: an unmatched transfer on ${network} is found by the watcher, refunded once, and cannot be claimed afterwards`, async () => {
      const payer = await createPayer(market, network);
      const before = (await chainOf(money, network).readBalances(payer.address)).usdcMicros;
      const reference = await payInto(network, 7n * USDC + 1n, payer);
      const found = await until('the watcher finding the transfer', async () =>
        (await listUnmatched()).find((receipt) => receipt['reference'] === reference),
      );
      assert.deepEqual(
        { network: found['network'], payer: found['payer'], received: found['received_usd'], finality: found['finality'] },
        { network, payer: payer.address, received: '7.000001', finality: 'final' },
      );

      const body = { network, reference };
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => call(market.url, 'POST /api/admin/receipts/refund', { key: admin, body })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
      assert.equal(
        (await listUnmatched()).some((receipt) => receipt['reference'] === reference),
        false,
      );
      assert.equal(await outcomeOf(money, requestFor(money, network, reference)), 'payment_already_used');

      const subjectId = `${chainOf(money, network).caip2}/${reference}`;
      await until('the refund', async () => {
        const payout = await market.database.db.selectFrom('payouts').selectAll().where('subjectId', '=', subjectId).executeTakeFirst();
        return payout?.state === 'confirmed' ? payout : undefined;
      });
      assert.equal((await chainOf(money, network).readBalances(payer.address)).usdcMicros, before);
      assert.equal((await call(market.url, 'POST /api/admin/receipts/refund', { key: admin, body })).status, 409);
    });
  }

  test('M24: an unmatched transfer is refunded by administrators only, and not after it was claimed', async () => {
    const reference = await payInto('base-mainnet');
    const body = { network: 'base-mainnet', reference };
    const stranger = await tokenFor(market.url, { email: 'somebody@example.com' });
    assert.equal((await call(market.url, 'POST /api/admin/receipts/refund', { key: stranger, body })).status, 403);
    assert.equal((await call(market.url, 'POST /api/admin/receipts/refund', { body })).status, 401);
    assert.equal(await outcomeOf(money, requestFor(money, 'base-mainnet', reference)), 'granted');
    await expectCall(market.url, 409, 'POST /api/admin/receipts/refund', { key: admin, body });
  });
});

test('the books are sound after claims and refunds of transfers', async () => {
  // These payments came without a call, in which the executor would have recorded the signer's proof.
  await market.database.pool.query(
    `insert into wallet_proofs (address, how) select distinct payer, 'signature' from payment_claims where proof <> 'operator' on conflict do nothing`,
  );
  await requireSound(money);
});
