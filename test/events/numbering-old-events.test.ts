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

test('the migration numbers existing events and adds their readers, and the log stays append-only', async () => {
  const database = await createTestDatabase({ empty: true });
  const folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  const pool = new pg.Pool({ ...database.connection, max: 2 });
  try {
    for (const file of await readdir(MIGRATIONS)) if (file < '0014') await cp(path.join(MIGRATIONS, file), path.join(folder, file));
    await migrate(pool, folder, () => undefined);
    const sides = { client_agent_id: 'c', client_user_id: null, client_wallet: 'w' };
    for (const [type, subject, agent, context] of [
      ['order.created', 'ord_1', 'p', sides],
      ['payment.claimed', 'ord_1', null, {}],
      ['order.paid', 'ord_1', 'p', sides],
      ['order.created', 'ord_2', 'c', { client_agent_id: 'p', client_user_id: 'u', client_wallet: null }],
    ] as const)
      await pool.query('insert into events (type, subject_id, agent_id, context) values ($1, $2, $3, $4)', [type, subject, agent, context]);
    await migrate(pool, MIGRATIONS, () => undefined);

    const { rows } = await pool.query(`select event_id::int as event, reader, seq::int from event_readers order by event_id, reader`);
    assert.deepEqual(
      rows.map(({ event, reader, seq }) => [event, reader, seq]),
      [
        [1, 'agent:c', 1],
        [1, 'agent:p', 1],
        [1, 'order:ord_1', null],
        [1, 'wallet:w', null],
        [3, 'agent:c', 2],
        [3, 'agent:p', 2],
        [3, 'order:ord_1', null],
        [3, 'wallet:w', null],
        [4, 'agent:c', 3],
        [4, 'agent:p', 3],
        [4, 'order:ord_2', null],
        [4, 'user:u', null],
      ],
    );
    const numbers = await pool.query('select agent_seq::int as seq from events order by id');
    assert.deepEqual(
      numbers.rows.map(({ seq }) => seq),
      [1, null, 2, 3],
    );
    const counters = await pool.query('select reader, last_seq::int as last from event_counters order by reader');
    assert.deepEqual(counters.rows, [
      { reader: 'agent:c', last: 3 },
      { reader: 'agent:p', last: 3 },
    ]);
    await assert.rejects(pool.query(`update events set type = 'x'`), /append-only/);
  } finally {
    await pool.end();
    await rm(folder, { recursive: true });
    await database.drop();
  }
});
