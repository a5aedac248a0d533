/** A treasury transfer without a payout, such as one an operator made by hand and `market reconcile` booked, stops no other payout. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../harness/http.ts';
import { createPayer, freshAddress } from '../harness/payers.ts';
import { tokenFor } from '../harness/people.ts';
import { chainOf, outcomeOf, requestFor, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B08: a surplus is refunded although the treasury once made a transfer by hand', async () => {
  const { money } = shared;
  await shared.database.pool.query(
    `insert into unbooked_outflows (network, reference, position, intent_key, destination, amount_micros)
     values ($1, $2, 0, null, $3, 1000000)`,
    [NETWORK, `0x${'ab'.repeat(32)}`, freshAddress(NETWORK)],
  );
  const server = await shared.startServer();
  try {
    const payer = await createPayer(shared, NETWORK, 100n * USDC);
    const reference = await payer.pay(chainOf(money, NETWORK).treasury, 8n * USDC);
    assert.equal(await outcomeOf(money, requestFor(money, NETWORK, reference)), 'granted');
    await until('the receipt being final', async () => {
      const { rows } = await shared.database.pool.query(`select 1 from chain_receipts where finality <> 'final'`);
      return rows.length === 0 ? true : undefined;
    });
    const key = await tokenFor(server.url, { email: 'ops@example.com', admin: true });
    const asked = await call(server.url, 'POST /api/admin/surplus/refund', { key, body: { network: NETWORK, payer: payer.address } });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    await until('the surplus arriving', async () =>
      (await payer.chain.readBalances(payer.address)).usdcMicros === 95n * USDC ? true : undefined,
    );
  } finally {
    await server.kill('SIGTERM');
  }
});
