/** A surplus refunded after the backup is owed again in the restored books: it must not be sent a second time. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { createPayer } from '../harness/payers.ts';
import { tokenFor } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { chainOf, outcomeOf, requestFor, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { hurry, reconcile } from './restored-stage.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

async function refundSurplus({ url }: ServerProcess, payer: string): Promise<number> {
  const key = await tokenFor(url, { email: 'ops@example.com', admin: true });
  const { status, body } = await call(url, 'POST /api/admin/surplus/refund', { key, body: { network: NETWORK, payer } });
  assert.ok(status < 500, JSON.stringify(body));
  return status;
}

async function untilNothingIsQueued(): Promise<void> {
  let open: unknown[] = [];
  await until(
    'every payout having ended',
    async () => {
      await hurry(shared);
      const { rows } = await shared.database.pool.query(
        `select id, purpose, state, reason from payouts where state in ('queued', 'signed', 'sent', 'unknown')`,
      );
      open = rows;
      return rows.length === 0 ? true : undefined;
    },
    100,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(open)}`);
  });
}

const title = 'B02: a surplus that was refunded after the backup is not refunded again in the restored books';
test(title, { skip: !isThorough && THOROUGH_ONLY }, async () => {
  const { money } = shared;
  const first = await shared.startServer();
  const payer = await createPayer(shared, NETWORK, 1_000n * USDC);
  const reference = await payer.pay(chainOf(money, NETWORK).treasury, 805n * USDC);
  assert.equal(await outcomeOf(money, requestFor(money, NETWORK, reference)), 'granted');
  // Another person's money, which would pay for a second refund.
  const other = await createPayer(shared, NETWORK, 1_000n * USDC);
  const others = await other.pay(chainOf(money, NETWORK).treasury, 1_000n * USDC);
  assert.equal(await outcomeOf(money, requestFor(money, NETWORK, others, { expectedMicros: 1_000n * USDC })), 'granted');
  await until('the receipts being final', async () => {
    const { rows } = await shared.database.pool.query(`select 1 from chain_receipts where finality <> 'final'`);
    return rows.length === 0 ? true : undefined;
  });
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  const had = (await payer.chain.readBalances(payer.address)).usdcMicros;
  assert.equal(await refundSurplus(lost, payer.address), 200);
  await untilNothingIsQueued();
  const once = (await payer.chain.readBalances(payer.address)).usdcMicros;
  assert.equal(once - had, 800n * USDC);
  await lost.kill('SIGTERM');
  await backup.restore();

  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);

  const again = await shared.startServer();
  await refundSurplus(again, payer.address);
  await untilNothingIsQueued();
  await again.kill('SIGTERM');
  const twice = (await payer.chain.readBalances(payer.address)).usdcMicros;
  assert.equal(twice - once, 0n, `the payer got the same surplus again; reconcile had said: ${output}`);
});
