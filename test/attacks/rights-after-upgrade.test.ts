/** Rights that an operator gave on single columns or rows of money out: the upgrade to one table must not widen them. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../harness/database.ts';
import { migrateBefore } from '../upgrade/migrate-before.ts';

const ROLE = `auditor_${process.pid}`;

interface FormerDatabase {
  readonly pool: pg.Pool;
  upgrade(): Promise<void>;
  /** Whether the role may run this statement. */
  may(statement: string): Promise<boolean>;
}

/** A database of the release before, with a role that has no rights yet. */
async function openFormer(t: TestContext): Promise<FormerDatabase> {
  const database = await createTestDatabase({ empty: true });
  const pool = new pg.Pool({ ...database.connection, max: 1 });
  t.after(async () => {
    await pool.query(`drop owned by ${ROLE}; drop role ${ROLE}`).catch(() => undefined);
    await pool.end();
    await database.drop();
  });
  await migrateBefore(pool, '0082');
  await pool.query(`create role ${ROLE}`);
  return {
    pool,
    upgrade: () => migrateBefore(pool),
    async may(statement) {
      try {
        await pool.query(`begin; set local role ${ROLE}; ${statement}`);
        return true;
      } catch (error) {
        assert.match(String(error), /permission denied/);
        return false;
      } finally {
        await pool.query('rollback');
      }
    },
  };
}

suite('the upgrade to one table of money out', () => {
  test('a role that could read columns of payouts reads the same of payouts only, and nothing of wallets, fees and venues', async (t) => {
    const { pool, upgrade, may } = await openFormer(t);
    await pool.query(`grant select (id, state, amount_micros), update (reason) on payouts to ${ROLE}`);
    await upgrade();
    assert.ok(await may('select id, state, amount_micros from payouts'));
    for (const statement of [
      'select destination from payouts',
      `update payouts set reason = 'x'`,
      'select id from outgoing_intents',
      'select state from outgoing_intents',
      'select amount from outgoing_intents',
      `update outgoing_intents set reason = 'x'`,
      'select id from wallet_movements',
    ])
      assert.equal(await may(statement), false, statement);
  });

  test('a role that could read a column of each kind reads the same column of each', async (t) => {
    const { pool, upgrade, may } = await openFormer(t);
    const kinds = { payouts: 'destination', wallet_movements: 'wallet', creator_fee_payouts: 'lamports', earn_intents: 'min_out' };
    for (const [kind, column] of Object.entries(kinds)) await pool.query(`grant select (${column}) on ${kind} to ${ROLE}`);
    await upgrade();
    for (const [kind, column] of Object.entries(kinds)) {
      assert.ok(await may(`select ${column} from ${kind}`), kind);
      assert.equal(await may(`select id from ${kind}`), false, kind);
    }
    assert.equal(await may('select destination from outgoing_intents'), false);
  });

  for (const table of ['payouts', 'wallet_movements', 'payout_attempts'])
    test(`row-level security of ${table}, which a view would not hold, stops the upgrade and is named`, async (t) => {
      const { pool, upgrade } = await openFormer(t);
      await pool.query(`alter table ${table} enable row level security; grant select on ${table} to ${ROLE};
        create policy few on ${table} to ${ROLE} using (false)`);
      await assert.rejects(upgrade(), new RegExp(`row-level security on ${table}`));
      await pool.query(`drop policy few on ${table}; alter table ${table} disable row level security`);
      await upgrade();
    });
});
