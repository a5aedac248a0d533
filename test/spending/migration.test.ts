/** Limits by person and program come to a filled market: no connection, limit or count is lost. */
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
const OWN = '0058';

const BEFORE = `
  insert into users (id, username) values ('ines', 'ines');
  insert into agents (id, slug, name, name_skeleton, description, api_key_hash, api_key_sealed, api_key_last4, owner_user_id)
  select 'ext_' || n, 'a' || n, 'Agent ' || n, 'agent' || n, '', decode(md5(n::text), 'hex'), '', '', 'ines' from generate_series(1, 3) n;
  insert into connections (id, person, client_id, client_name, redirect_host, scopes, created_at, revoked_at, expires_at) values
    ('conn_1', 'user:ines', 'own', 'Own', 'h', '{read}', market_now() - interval '3 days', market_now(), clock_timestamp() + interval '9 days'),
    ('conn_2', 'user:ines', 'own', 'Own', 'h', '{read}', market_now() - interval '2 days', null, clock_timestamp() + interval '9 days'),
    ('conn_3', 'user:ines', 'https://shared', 'Shared', 'h', '{read}', market_now() - interval '2 days', null, clock_timestamp() + interval '9 days'),
    ('conn_4', 'user:ines', 'https://shared', 'Shared', 'h', '{read}', market_now() - interval '1 day', null, clock_timestamp() + interval '9 days'),
    ('conn_5', 'user:ines', 'gone', 'Gone', 'h', '{read}', market_now() - interval '1 day', market_now(), clock_timestamp() + interval '9 days');
  insert into spend_policies (subject_kind, subject_id, per_day_micros, per_order_micros, frozen) values
    ('connection', 'conn_1', 1, null, true), ('connection', 'conn_3', 7, 5, false), ('connection', 'conn_4', 9, null, false),
    ('connection', 'conn_5', 4, null, false), ('agent', 'ext_1', 3, null, false);
  insert into spendings (id, principal, operation, reference, amount_micros, status, sentence, bought_kind, bought_id, settled_at) values
    ('spd_1', 'connection:conn_1', 'x402.pay', 'r1', 2, 'kept', '', 'x402', 'ord_1', market_now()),
    ('spd_2', 'connection:conn_2', 'x402.pay', 'r2', 3, 'kept', '', 'x402', 'ord_2', market_now()),
    ('spd_3', 'agent:ext_1', 'agents.register', 'r3', 1, 'kept', '', 'registration', 'ext_2', market_now()),
    ('spd_4', 'agent:ext_2', 'x402.pay', 'r4', 6, 'kept', '', 'x402', 'ord_4', market_now());
  insert into spending_subjects (spending_id, subject_kind, subject_id) values
    ('spd_1', 'connection', 'conn_1'), ('spd_2', 'connection', 'conn_2'), ('spd_3', 'agent', 'ext_1'), ('spd_4', 'agent', 'ext_2');
  insert into spend_approvals (id, principal, operation, call_hash, amount_micros, sentence, asked_of, expires_at) values
    ('apr_1', 'agent:ext_1', 'x402.pay', '', 1, '', '{user:ines,wallet:W}', market_now()),
    ('apr_2', 'connection:conn_2', 'x402.pay', '', 1, '', '{user:ines,wallet:W}', market_now())`;

test('V11: the migration keeps connections, and moves limits and counts to the person and the program', async () => {
  const database = await createTestDatabase({ empty: true });
  const folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  const pool = new pg.Pool({ ...database.connection, max: 2 });
  const read = async (sql: string) => (await pool.query<Record<string, unknown>>(sql)).rows.map((row) => Object.values(row));
  try {
    for (const file of await readdir(MIGRATIONS)) if (file < OWN) await cp(path.join(MIGRATIONS, file), path.join(folder, file));
    await migrate(pool, folder, () => undefined);
    await pool.query(BEFORE);
    await migrate(pool, MIGRATIONS, () => undefined);

    assert.deepEqual(await read('select id, program_id from connections order by id'), [
      ['conn_1', 'prog_1'],
      ['conn_2', 'prog_1'],
      ['conn_3', 'prog_3'],
      ['conn_4', 'prog_3'],
      ['conn_5', 'prog_5'],
    ]);
    const policies = `select subject_id, per_day_micros::int, per_order_micros::int, frozen from spend_policies where subject_kind = 'connection' order by 1`;
    assert.deepEqual(
      await read(policies),
      [
        ['prog_3', 7, 5, false],
        ['prog_5', 4, null, false],
      ],
      'the strictest of two live ones; none where the live one has none',
    );
    const counted = `select x.subject_kind || ':' || x.subject_id, sum(s.amount_micros)::int
      from spending_subjects x join spendings s on s.id = x.spending_id group by 1 order by 1`;
    assert.deepEqual(await read(counted), [
      ['agent:ext_1', 7],
      ['agent:ext_2', 6],
      ['connection:prog_1', 5],
    ]);
    assert.deepEqual(await read('select id, created_by, stops_with from agents order by id'), [
      ['ext_1', [], null],
      ['ext_2', ['agent:ext_1'], null],
      ['ext_3', [], null],
    ]);
    assert.deepEqual(await read('select id, deciders from spend_approvals order by id'), [
      ['apr_1', ['user:ines']],
      ['apr_2', ['user:ines']],
    ]);
    const told = `select e.subject_id, e.data, q.follower from events e join event_queue q on q.event_id = e.id where e.type = 'spending.agents_unlimited'`;
    const unlimited = { agents: [2, 3].map((n) => ({ id: `ext_${n}`, name: `Agent ${n}` })) };
    assert.deepEqual(await read(told), [['user:ines', unlimited, 'notifications']]);
  } finally {
    await pool.end();
    await rm(folder, { recursive: true });
    await database.drop();
  }
});
