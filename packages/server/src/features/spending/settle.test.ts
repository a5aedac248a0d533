/** How reservations end, and whose policies a payment is held to. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { SpendingId } from '@market/contract';
import { sql } from 'kysely';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { readSubjects } from './policy-repository.ts';
import { listUnsettled } from './purchase-repository.ts';
import { type SettledBy, settleSpending } from './settle.ts';

suite('records of spending', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  before(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connection: { ...testDatabase.connection }, poolSize: 4, onError: () => undefined });
  });
  after(async () => {
    await database.close();
    await testDatabase.drop();
  });
  beforeEach(async () => {
    await database.pool.query('delete from spendings');
  });

  const ID = 'spd_1_one' as SpendingId;
  const reserve = async (id: string = ID, minutesAgo = 90) =>
    await database.pool.query(
      `insert into spendings (id, principal, operation, reference, amount_micros, status, sentence, approval_id, created_at)
       values ($1, 'agent:agt_1', 'x402.pay', 'payment test ' || $1, 5, 'reserved', 'Within all limits.', 'apr_1',
               market_now() - make_interval(mins => $2))`,
      [id, minutesAgo],
    );
  const settle = (by: SettledBy) => database.transaction((tx) => settleSpending(tx, ID, by));
  const read = async () => {
    const { rows } = await database.pool.query('select status, bought_id, approval_id from spendings where id = $1', [ID]);
    return [rows[0]?.status, rows[0]?.bought_id];
  };

  test('a payment that is counted while the job looks at its reservation stays counted', async () => {
    await reserve();
    const call = await database.pool.connect();
    await call.query('begin');
    await call.query(`update spendings set status = 'kept', bought_kind = 'x402', bought_id = 'ord_1', settled_at = market_now()`);
    const job = settle('abandoned');
    // The job waits for the row.
    for (let waits = 0; waits === 0; ) {
      const { rows } = await database.pool.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      waits = rows[0]?.n ?? 0;
    }
    await call.query('commit');
    call.release();
    await job;
    assert.deepEqual(await read(), ['kept', 'ord_1']);
  });

  test('a call that outlives its reservation and bought something counts all the same, with its approval', async () => {
    await reserve();
    await database.pool.query(
      `insert into spend_approvals (id, principal, operation, call_hash, amount_micros, sentence, asked_of, deciders, status, spending_id, expires_at, decided_at, decided_by)
       values ('apr_1', 'agent:agt_1', 'x402.pay', '\\x00', 5, '', '{user:one}', '{user:one}', 'used', $1, market_now(), market_now(), 'user:one')`,
      [ID],
    );
    const approval = async () => (await database.pool.query(`select status, spending_id from spend_approvals where id = 'apr_1'`)).rows[0];
    await settle('abandoned');
    assert.deepEqual([await read(), await approval()], [['released', null], { status: 'approved', spending_id: null }]);
    await settle('ended');
    assert.deepEqual(await read(), ['released', null], 'nothing was bought');
    await database.pool.query(`insert into payment_aliases (caip2, alias, subject_id) values ('test', $1, 'ord_1')`, [ID]);
    await database.pool.query(
      `insert into x402_payments (caip2, alias, network, state, purpose, subject_id, fingerprint, request, version, payload, requirement, amount_micros, payer)
       values ('test', $1, 'base-mainnet', 'settled', 'x402', 'ord_1', '\\x00', '{}', 2, '{}', '{}', 5, 'payer')`,
      [ID],
    );
    await settle('ended');
    assert.deepEqual([await read(), await approval()], [['kept', 'ord_1'], { status: 'used', spending_id: ID }]);
  });

  test('the settling job begins with the oldest reservation', async () => {
    for (const [id, minutes] of [
      ['spd_1_b', 70],
      ['spd_1_c', 30],
      ['spd_1_a', 80],
    ] as const)
      await reserve(id, minutes);
    const listed = await database.transaction(async (tx) => {
      // Rows come as they are stored, unless the statement asks for an order.
      await sql`set local enable_indexscan = off`.execute(tx);
      await sql`set local enable_bitmapscan = off`.execute(tx);
      return await listUnsettled(tx, 120, 2);
    });
    assert.deepEqual(
      listed.map(({ id, isAbandoned }) => [id, isAbandoned]),
      [
        ['spd_1_a', true],
        ['spd_1_b', true],
      ],
    );
  });

  test('a payment is held to the policy of every wallet that its owner linked to the same account', async () => {
    await database.pool.query(`insert into users (id, username) values ('one', 'one')`);
    await database.pool.query(
      `insert into user_wallets (id, user_id, chain, address, proof)
       values ('1', 'one', 'base', 'A', 'signature'), ('2', 'one', 'base', 'B', 'signature')`,
    );
    await database.pool.query(`insert into connected_programs (id, person, client_id) values ('prog_1', 'wallet:A', 'client')`);
    await database.pool.query(`insert into spend_policies (subject_kind, subject_id, frozen) values ('account', 'wallet:B', true)`);
    const rows = await readSubjects(database.db, { subjects: [{ kind: 'connection', id: 'prog_1' }] });
    assert.deepEqual(rows.map(({ kind, id, policy }) => [kind, id, policy?.frozen ?? null]).sort(), [
      ['account', 'user:one', null],
      ['account', 'wallet:A', null],
      ['account', 'wallet:B', true],
      ['connection', 'prog_1', null],
    ]);
  });
});
