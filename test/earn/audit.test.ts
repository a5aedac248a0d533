/** The audit passes deposits and withdrawals in every state and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { inspect } from 'node:util';
import { runAudit } from '../../packages/server/src/features/audit/run-audit.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { findBroken } from '../money/find-broken.ts';
import { earnCorruptions } from './corruptions.ts';
import { deposited, LEND, leaveFree, openDepositor, untilStatus, withdraw, withoutWaits } from './stage.ts';

suite('the audit of Earn', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ ...withOwnChains, ...withoutWaits });
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

  test('the audit of Earn finds nothing wrong with sound vaults', async () => {
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });

  test('the audit of Earn reports units of the book that the venue does not hold (E08)', async () => {
    const { pool } = market.database;
    await pool.query('update earn_vaults set total_units = total_units + 10 where key = $1', [LEND]);
    const { findings } = await runAudit(market.database, market.chains);
    await pool.query('update earn_vaults set total_units = total_units - 10 where key = $1', [LEND]);
    assert.ok(
      findings.some(({ id }) => id === 'E08'),
      inspect(findings, { depth: 4 }),
    );
    assert.deepEqual((await runAudit(market.database, market.chains)).findings, []);
  });

  test('B06: the audit reports missing units also of a vault that is known to lack some (E08)', async () => {
    const { pool } = market.database;
    await pool.query('update earn_vaults set total_units = total_units + 10, impaired_at = market_now() where key = $1', [LEND]);
    const { findings } = await runAudit(market.database, market.chains);
    await pool.query('update earn_vaults set total_units = total_units - 10, impaired_at = null where key = $1', [LEND]);
    assert.ok(
      findings.some(({ id }) => id === 'E08'),
      inspect(findings, { depth: 4 }),
    );
  });

  for (const { what, breaks, sql } of earnCorruptions) {
    test(`the audit of Earn reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(market.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});
