/** The audit passes sound disputes, rulings and bans, and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { disputeOrder, openOpponents, rule, stateCase } from '../harness/disputes.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { some } from '../harness/thoroughness.ts';
import { disputeCorruptions } from './dispute-corruptions.ts';
import { findBroken } from './find-broken.ts';
import { until } from './money.ts';

suite('the audit of disputes', () => {
  let market: TestMarket;

  /** One dispute of each ruling, an open one, and a banned owner with a service. */
  before(async () => {
    market = await openMarket(withChains);
    const { url } = market;
    const opponents = await openOpponents(market);
    for (const ruling of [{ ruling: 'release' }, { ruling: 'refund' }, { ruling: 'split', refund_usd: '4.00' }]) {
      const order = await disputeOrder(url, opponents);
      assert.equal((await stateCase(url, order, opponents.provider.headers)).status, 200);
      assert.equal((await rule(url, order, opponents.admin, ruling)).status, 200);
    }
    await disputeOrder(url, opponents);
    const banned = await openProvider(url);
    await listService(url, banned);
    const body = { kind: 'wallet', value: banned.owner.address, reason: 'Stolen pictures.' };
    await expectCall(url, 200, 'POST /api/admin/bans', { key: opponents.admin, body });
  });
  after(() => market.close());

  test('the audit of disputes finds nothing in sound data', async () => {
    await until('nothing being found', async () => ((await findBroken(market.database)).broken.length === 0 ? true : undefined), 30).catch(
      async () => {
        assert.deepEqual((await findBroken(market.database)).broken, []);
      },
    );
  });

  for (const { what, breaks, sql } of some(disputeCorruptions, 4)) {
    test(`the audit of disputes reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(market.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});
