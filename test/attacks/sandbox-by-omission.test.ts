/** A process that lacks its settings is a sandbox. On the books of a production it would pay with worthless coins and move everybody's time. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { startMain } from '../faults/main-process.ts';
import { openFamily, type ProcessFamily } from '../faults/market-processes.ts';
import { createTestDatabase } from '../harness/database.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { migrateBefore } from '../upgrade/migrate-before.ts';

const MASTER_KEY = '5c'.repeat(32);
const PRODUCTION = { MARKET_PROFILE: 'production', MASTER_KEY, BASE_URL: 'https://market.example', SANDBOX_CHAINS: 'off', JOBS: 'off' };

let production: ProcessFamily;
let sandbox: ProcessFamily;
before(async () => {
  [production, sandbox] = await Promise.all([openFamily({ empty: true }), openFamily({ empty: true })]);
  await Promise.all([production.start(PRODUCTION), sandbox.start()]);
});
after(() => Promise.all([production.close(), sandbox.close()]));

const forgetful = (family: ProcessFamily) => ({
  DATABASE_URL: family.databaseUrl,
  DATA_DIR: family.dataDir,
  SANDBOX_CHAINS: 'off',
  SANDBOX_DEMO: 'off',
  PORT: '0',
});

async function requireRefused(settings: Record<string, string>, why: RegExp): Promise<void> {
  const { child, ended } = startMain(settings);
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const { code, output } = await ended;
  clearTimeout(late);
  assert.doesNotMatch(output, /^ready /m, 'it serves these books');
  assert.equal(code, 1, output);
  assert.match(output, why);
}

test('I18: a sandbox by omission does not start on the books of a production', async () => {
  await requireRefused(forgetful(production), /holds the books of a production/);
});

test('I18: a production does not start on the books of a sandbox, whose coins are worthless', async () => {
  await requireRefused({ ...forgetful(sandbox), ...PRODUCTION }, /holds the books of a sandbox/);
});

test('I18: market reconcile without its settings does not open the outflow of a production', async () => {
  const reason = 'Outflow is closed: the chain shows a transfer that these books do not know.';
  await production.database.query('update outflow_gate set reason = $1', [reason]);
  const { ended, output } = runMarketCommand(['reconcile'], forgetful(production));
  assert.notEqual(await ended, 0, output());
  assert.match(output(), /holds the books of a production/);
  assert.deepEqual((await production.database.query('select reason from outflow_gate')).rows, [{ reason }]);
});

test('a second process of a production starts on its books', async () => {
  assert.equal((await fetch(`${(await production.start(PRODUCTION)).url}/healthz`)).status, 200);
});

test('I18: an upgrade finds out by the chains that were compared whose coins are in the books', async () => {
  const database = await createTestDatabase({ empty: true });
  const pool = new pg.Pool({ ...database.connection, max: 1 });
  try {
    await migrateBefore(pool, '0084');
    await pool.query(`insert into known_place (place) values (database_place());
      insert into outflow_cursors (holder, place, cursor) values ('eip155:8453', 'here', '1')`);
    const upgrade = async () => {
      await migrateBefore(pool);
      return (await pool.query('select profile from known_place')).rows[0].profile;
    };
    assert.equal(await upgrade(), 'production');
    await pool.query(`alter table known_place drop column profile; delete from schema_migrations where version = 84;
      insert into outflow_cursors (holder, place, cursor) values ('eip155:845311453', 'here', '1')`);
    assert.equal(await upgrade(), 'sandbox');
    await pool.query(
      `alter table known_place drop column profile; delete from schema_migrations where version = 84; delete from outflow_cursors`,
    );
    assert.equal(await upgrade(), null);
  } finally {
    await pool.end();
    await database.drop();
  }
});
