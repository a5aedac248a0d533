/** Order tokens that were issued before tokens had an end. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../../packages/server/src/platform/db/migrate.ts';
import { createTestDatabase } from '../harness/database.ts';

const MIGRATIONS = fileURLToPath(new URL('../../packages/server/migrations', import.meta.url));

test('Y13: the migration gives old tokens an end: 90 days after issue, and for open orders at least 30 days from the upgrade', async () => {
  const database = await createTestDatabase({ empty: true });
  const folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  const pool = new pg.Pool({ ...database.connection, max: 1 });
  try {
    for (const file of await readdir(MIGRATIONS)) if (file < '0054') await cp(path.join(MIGRATIONS, file), path.join(folder, file));
    await migrate(pool, folder, () => undefined);
    // Orders without their agents and services, because only the tokens matter here.
    await pool.query(`set session_replication_role = replica`);
    const tokens = [
      { order: 'ord_1', ageDays: 400, ended: false, readsOnly: false },
      { order: 'ord_2', ageDays: 10, ended: false, readsOnly: true },
      { order: 'ord_3', ageDays: 400, ended: true, readsOnly: false },
    ];
    for (const [n, { order, ageDays, ended, readsOnly }] of tokens.entries()) {
      await pool.query(
        `insert into orders (id, kind, provider_agent_id, client_wallet, service_title, price_type, turnaround_hours, max_revisions, brief, status, cancelled_at)
         values ($1, 'standard', 'ext_1', 'w', 'Logos', 'quote', 24, 1, 'A logo.', $2, $3)`,
        [order, ended ? 'cancelled' : 'pending_quote', ended ? new Date() : null],
      );
      await pool.query(
        `insert into order_tokens (order_id, token_hash, reads_only, created_at) values ($1, $2, $3, market_now() - make_interval(days => $4))`,
        [order, Buffer.from([n]), readsOnly, ageDays],
      );
    }
    await pool.query(`set session_replication_role = default`);
    await migrate(pool, MIGRATIONS, () => undefined);
    const { rows } = await pool.query(
      `select order_id, holder, round(extract(epoch from expires_at - market_now()) / 86400)::int as days, ended_at from order_tokens order by 1`,
    );
    assert.deepEqual(rows, [
      { order_id: 'ord_1', holder: 'payer', days: 30, ended_at: null },
      { order_id: 'ord_2', holder: 'presenter', days: 80, ended_at: null },
      { order_id: 'ord_3', holder: 'payer', days: -310, ended_at: null },
    ]);
  } finally {
    await pool.end();
    await rm(folder, { recursive: true });
    await database.drop();
  }
});
