/** Rights on the tables of money out survive the migration that makes views of them. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { migrate } from '../../packages/server/src/platform/db/migrate.ts';
import { createTestDatabase } from '../harness/database.ts';

const MIGRATIONS = path.join(import.meta.dirname, '../../packages/server/migrations');
const READER = `signer_${process.pid}`;

test('a signer of its own still reads what it may, and nothing else', async () => {
  const database = await createTestDatabase({ empty: true });
  const pool = new pg.Pool({ ...database.connection, max: 1 });
  const former = await mkdtemp(path.join(tmpdir(), 'market-'));
  try {
    for (const name of await readdir(MIGRATIONS)) if (name < '0083') await cp(path.join(MIGRATIONS, name), path.join(former, name));
    await migrate(pool, former, () => undefined);
    await pool.query(`create role ${READER}`);
    await pool.query(`grant select on payouts, earn_intents, ledger_accounts, outflow_gate to ${READER}`);
    await migrate(pool, MIGRATIONS, () => undefined);
    const mayRead = async (table: string) =>
      (await pool.query('select has_table_privilege($1, $2, $3) as may', [READER, table, 'select'])).rows[0].may;
    for (const table of ['payouts', 'earn_intents', 'ledger_accounts', 'outflow_gate']) assert.ok(await mayRead(table), table);
    await pool.query(`begin; set local role ${READER}; select * from payouts, earn_intents; commit`);
    for (const table of ['outgoing_intents', 'wallet_movements', 'creator_fee_payouts', 'outgoing_attempts'])
      assert.equal(await mayRead(table), false, table);
  } finally {
    await pool.query(`drop owned by ${READER}; drop role ${READER}`).catch(() => undefined);
    await pool.end();
    await database.drop();
    await rm(former, { recursive: true });
  }
});
