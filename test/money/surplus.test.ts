/** A surplus is owed to its payer, and an operator can refund it once. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readBalance, surplusPayable } from '../../packages/server/src/features/ledger/index.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { createPayer } from '../harness/payers.ts';
import { tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { chainOf, type Money, NETWORKS, openMoney, outcomeOf, requestFor, requireSound, USDC, until } from './money.ts';

let market: TestMarket;
let money: Money;

before(async () => {
  market = await openMarket({ ...withChains });
  money = await openMoney(market);
});
after(async () => {
  money.clock.stop();
  await market.close();
});

async function receiptFinality(reference: string): Promise<string | undefined> {
  const row = await money.database.db.selectFrom('chainReceipts').select('finality').where('reference', '=', reference).executeTakeFirst();
  return row?.finality;
}

for (const network of some(NETWORKS, 1)) {
  test(`M10: on ${network} a surplus is refunded to its payer exactly once, also when requested repeatedly`, async () => {
    const payer = await createPayer(market, network, 20n * USDC);
    const reference = await payer.pay(chainOf(money, network).treasury, 8n * USDC);
    assert.equal(await outcomeOf(money, requestFor(money, network, reference)), 'granted');
    assert.equal(await readBalance(money.database.db, surplusPayable(network, payer.address)), 3n * USDC);

    await until('the receipt being known as final', async () => ((await receiptFinality(reference)) === 'final' ? true : undefined));
    const key = await tokenFor(market.url, { email: 'ops@example.com', admin: true });
    const body = { network, payer: payer.address };
    const asked = await Promise.all(Array.from({ length: 4 }, () => call(market.url, 'POST /api/admin/surplus/refund', { key, body })));
    assert.deepEqual(asked.map(({ status }) => status).sort(), [200, 404, 404, 404]);
    await until('the surplus arriving', async () =>
      (await payer.chain.readBalances(payer.address)).usdcMicros === 15n * USDC ? true : undefined,
    );
    await requireSound(money);
  });
}
