/** Payments that had left or were about to read the same after the migrations that store them in one table. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { migrateBefore } from './migrate-before.ts';
import { readStoredMarket, restoreRows } from './stored-market.ts';

const STORED = path.join(import.meta.dirname, 'former-market.json.gz');
const READER = `signer_${process.pid}`;
const SERVICE = `service_${process.pid}`;
const KINDS = ['payouts', 'wallet_movements', 'creator_fee_payouts', 'earn_intents'] as const;

/** A row of each kind in every state, with its attempts. */
const FILL = `
  create function pg_temp.attempts_of(p_state text) returns text[] language sql as $$
    select case when p_state in ('signed', 'sent', 'unknown') then array['expired', p_state] when p_state = 'confirmed' then array['expired', 'confirmed']
                when p_state = 'queued' then array['expired'] when p_state in ('failed', 'parked') then array['failed'] else '{}' end $$;
  create temporary table states (state text, n int);
  insert into states select state, n::int from unnest(array['queued', 'signed', 'sent', 'unknown', 'confirmed', 'failed', 'parked', 'void']) with ordinality s(state, n);
  insert into payouts (id, purpose, subject_id, network, destination, amount_micros, state, reason, reference, parked_for, created_at, updated_at)
    select 'pay_' || state, 'refund', 'subject_' || state, 'base-mainnet', '0xd', n, state, 'why ' || n, case when state = 'confirmed' then '0xpay_confirmed2' end,
           case when state = 'parked' then 'account' end, market_now() - n * interval '1 day', market_now() - n * interval '1 hour'
    from states where state <> 'failed';
  insert into payout_attempts (payout_id, number, reference, signed_bytes, validity, state, rent_lamports)
    select 'pay_' || state, a.number, '0xpay_' || state || a.number, 'bytes', '7', a.state_of, 5 from states,
      unnest(pg_temp.attempts_of(state)) with ordinality a(state_of, number) where state <> 'failed';
  insert into wallet_movements (id, agent_id, purpose, network, wallet, destination, asset, amount, state, reason, reference, fronted_native, not_sent_before)
    select 'mov_' || state, (select id from agents limit 1), 'send', 'solana-mainnet', 'Wallet', 'Elsewhere', 'native', n, state, 'why', case when state = 'confirmed' then 'mov_confirmed2' end,
           case when state = 'confirmed' then 9 end, n = 1 from states where state not in ('parked', 'void');
  insert into wallet_attempts (movement_id, number, reference, signed_bytes, validity, state, rent_lamports)
    select 'mov_' || state, a.number, 'mov_' || state || a.number, 'bytes', '7', a.state_of, 5 from states,
      unnest(pg_temp.attempts_of(state)) with ordinality a(state_of, number) where state not in ('parked', 'void');
  insert into creator_fee_payouts (id, share, agent_id, mint, recipient_wallet, lamports, fee_reserve_lamports, network_fee_lamports, state, reference, created_by, paid_at)
    select 'fee_' || state, 'agent', (select id from agents limit 1), 'Mint', 'Recipient', n, 20000, case when state = 'confirmed' then 5000 end, state,
           -- The bytes that may still land, or that landed.
           case when state in ('signed', 'sent', 'unknown', 'confirmed') then 'fee_' || state || '2' end, 'user:somebody', case when state = 'confirmed' then market_now() end
    from states where state not in ('parked', 'void');
  insert into creator_fee_attempts (payout_id, number, reference, signed_bytes, validity, state)
    select 'fee_' || state, a.number, 'fee_' || state || a.number, 'bytes', '7', a.state_of from states,
      unnest(pg_temp.attempts_of(state)) with ordinality a(state_of, number) where state not in ('parked', 'void');
  insert into earn_intents (id, kind, vault_key, subject_id, network, router, venue, assets, units, min_out, state, reason, reference, result_assets, result_units, queue_number)
    select 'evi_' || k || state, k, (select key from earn_vaults limit 1), case k when 'allow' then (select key from earn_vaults limit 1) else 'subject_' || k || state end, 'base-mainnet', '0xr', '0xv', case k when 'deposit' then n end,
           case k when 'redeem' then 10::numeric ^ 30 + n end, case when k <> 'allow' then n end, state, 'why', case when state = 'confirmed' then '0xevi_' || k || '_confirmed2' end,
           case when state = 'confirmed' and k <> 'allow' then n end, case when state = 'confirmed' and k <> 'allow' then n end, case k when 'redeem' then n end
    from states, unnest(array['deposit', 'redeem', 'allow']) k where state not in ('parked', 'void') and (k <> 'allow' or state in ('unknown', 'confirmed', 'failed'));
  insert into earn_attempts (intent_id, number, reference, signed_bytes, validity, state)
    select 'evi_' || k || state, a.number, '0xevi_' || k || '_' || state || a.number, 'bytes', '7', a.state_of from states, unnest(array['deposit', 'redeem', 'allow']) k,
      unnest(pg_temp.attempts_of(state)) with ordinality a(state_of, number)
    where state not in ('parked', 'void') and (k <> 'allow' or state in ('unknown', 'confirmed', 'failed'));
  insert into unbooked_outflows (network, reference, position, destination, amount_micros, payout_id, intent_id)
    values ('base-mainnet', '0xa', 0, '0x', 1, 'pay_confirmed', null), ('base-mainnet', '0xb', 0, '0x', 1, null, 'evi_depositconfirmed'), ('base-mainnet', '0xc', 0, '0x', 1, null, null);
  create role ${READER};
  grant select on payouts, earn_intents, ledger_accounts, outflow_gate to ${READER};
  create role ${SERVICE};
  grant select, insert, update, delete on all tables in schema public to ${SERVICE} with grant option;
  -- One transaction of a bundle paid both.
  update payout_attempts set reference = '0xbundle', signed_bytes = 'Zm91bmQgb24gY2hhaW4=' where payout_id = 'pay_confirmed' and state = 'confirmed';
  update wallet_attempts set reference = '0xbundle', signed_bytes = 'Zm91bmQgb24gY2hhaW4=' where movement_id = 'mov_confirmed' and state = 'confirmed';`;

const FORMER_ATTEMPTS = `select payout_id as intent_id, number, reference, signed_bytes, validity, state, rent_lamports, created_at from payout_attempts
  union all select movement_id, number, reference, signed_bytes, validity, state, rent_lamports, created_at from wallet_attempts
  union all select payout_id, number, reference, signed_bytes, validity, state, 0, created_at from creator_fee_attempts
  union all select intent_id, number, reference, signed_bytes, validity, state, 0, created_at from earn_attempts order by 1, 2`;

suite('the migrations of money out', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let former: Record<string, unknown[]>;
  const read = async (sql: string): Promise<unknown[]> => (await pool.query(sql)).rows;
  const readKinds = async () =>
    Object.fromEntries(await Promise.all(KINDS.map(async (kind) => [kind, await read(`select * from ${kind} order by id`)])));

  before(async () => {
    database = await createTestDatabase({ empty: true });
    pool = new pg.Pool({ ...database.connection, max: 1 });
    await migrateBefore(pool, '0053');
    await restoreRows(readStoredMarket(STORED), pool);
    await migrateBefore(pool, '0082');
    await pool.query(FILL);
    former = { ...(await readKinds()), attempts: await read(FORMER_ATTEMPTS) };
    await migrateBefore(pool);
  });
  after(async () => {
    await pool.query(`drop owned by ${READER}, ${SERVICE}; drop role ${READER}, ${SERVICE}`).catch(() => undefined);
    await pool.end();
    await database.drop();
  });

  for (const kind of KINDS)
    test(`the migrations of money out keep every row of ${kind}`, async () => {
      const kept = (await read(`select * from ${kind} order by id`)) as Record<string, unknown>[];
      const before = former[kind] as Record<string, unknown>[];
      assert.ok(before.length > 5);
      assert.deepEqual(
        kept.map((row) => Object.fromEntries(Object.entries(row).sort())),
        before.map((row) => Object.fromEntries(Object.entries(row).sort())),
      );
    });

  test('the migrations of money out keep every attempt, with the states that the audit asks for', async () => {
    assert.deepEqual(await read('select * from outgoing_attempts order by intent_id, number'), former['attempts']);
  });

  test('the migrations of money out give an unbooked transfer the one intent that it was', async () => {
    const found = await read(`select reference, intent_id from unbooked_outflows where reference in ('0xa', '0xb', '0xc') order by 1`);
    assert.deepEqual(found, [
      { reference: '0xa', intent_id: 'pay_confirmed' },
      { reference: '0xb', intent_id: 'evi_depositconfirmed' },
      { reference: '0xc', intent_id: null },
    ]);
  });

  test('after the migrations of money out a second payout of one subject, open redemption or deposit is refused, as before', async () => {
    const insert = (purpose: string, subject: string, amount: number | null) =>
      pool.query(
        `insert into outgoing_intents (id, purpose, subject_id, network, destination, amount) values ('again', $1, $2, 'base-mainnet', '0xe', $3)`,
        [purpose, subject, amount],
      );
    await assert.rejects(insert('refund', 'subject_queued', 1), /outgoing_intents_one_payout/);
    await assert.rejects(insert('venue_deposit', 'subject_depositconfirmed', 1), /outgoing_intents_one_deposit/);
    await assert.rejects(insert('venue_redeem', 'subject_redeemsent', null), /outgoing_intents_one_redeem/);
    const [vault] = (await read('select key from earn_vaults limit 1')) as { key: string }[];
    await assert.rejects(insert('venue_allow', vault?.key ?? '', null), /outgoing_intents_one_allow/);
  });

  const may = async (role: string, table: string, what = 'select') =>
    ((await read(`select has_table_privilege('${role}', '${table}', '${what}') as may`))[0] as { may: boolean }).may;

  test('the migrations of money out leave the service’s role all its rights', async () => {
    for (const table of ['outgoing_intents', 'outgoing_attempts', 'agent_movements', 'creator_fee_claims', 'venue_calls'])
      for (const what of ['select', 'insert', 'update', 'delete']) assert.ok(await may(SERVICE, table, what), `${what} ${table}`);
    for (const kind of KINDS) for (const what of ['select', 'update']) assert.ok(await may(SERVICE, kind, what), `${what} ${kind}`);
    await pool.query(`begin; set local role ${SERVICE}; update payouts set reason = 'tried' where id = 'pay_queued';
      select 1 from creator_fee_payouts for update; rollback`);
  });

  test('the migrations of money out leave a signer’s role its reading rights, and no others', async () => {
    const mayRead = (table: string) => may(READER, table);
    for (const table of ['payouts', 'earn_intents', 'ledger_accounts', 'outflow_gate']) assert.ok(await mayRead(table), table);
    await pool.query(`begin; set local role ${READER}; select count(*) from payouts, earn_intents; commit`);
    for (const table of ['outgoing_intents', 'wallet_movements', 'creator_fee_payouts', 'outgoing_attempts'])
      assert.equal(await mayRead(table), false, table);
  });
});
