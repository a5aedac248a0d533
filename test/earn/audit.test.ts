/** The audit passes deposits and withdrawals in every state and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { findBroken } from '../money/find-broken.ts';
import { earnCorruptions } from './corruptions.ts';
import { deposited, LEND, leaveFree, openDepositor, untilStatus, withdraw } from './stage.ts';

suite('V06, V07: the audit of Earn', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
    const [anna, ben] = [await openDepositor(market), await openDepositor(market)];
    await deposited(market, anna, 1_000);
    await deposited(market, ben, 300);
    const first = await withdraw(market, anna, { shares: '100000000000000', key: LEND });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    await untilStatus(market, anna, String(first.body['data'].withdrawal_id), 'settled');
    await leaveFree(market, LEND, 0.5);
    for (const one of [anna, ben]) {
      const queued = await withdraw(market, one, { shares: '100000000000000', key: LEND });
      assert.equal(queued.body['data']?.status, 'queued', JSON.stringify(queued.body));
    }
  });
  after(() => market.close());

  test('finds nothing wrong with sound vaults', async () => {
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });

  for (const { what, breaks, sql } of earnCorruptions) {
    test(`reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(market.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});
