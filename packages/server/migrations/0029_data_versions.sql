-- why: what everybody reads is kept as finished bytes and must be dropped exactly when a table it was made from changes, in every process

-- How often each table was changed by committed transactions: the sum over its rows. The sum moves in the moment the change becomes visible, so
-- whoever reads the sum first and the data afterwards never takes old data for new. A table has several rows, so that writers never wait for
-- each other: each takes one that nobody holds, or adds one. Nobody waits, so nobody can deadlock.
create table data_versions (
  slot bigint generated always as identity primary key,
  table_name text not null,
  changes bigint not null default 0
) with (fillfactor = 10, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
create index data_versions_of_table on data_versions (table_name);

-- Counts a transaction once per table. The note of what was counted ends with the transaction, and with a savepoint that is rolled back.
create function note_change() returns trigger language plpgsql as
$$
declare
  v_noted text := coalesce(current_setting('market.changed_tables', true), '');
begin
  if position(' ' || tg_table_name || ' ' in v_noted) > 0 then return null; end if;
  -- At a stricter isolation a row that another transaction changed meanwhile would be an error, so a new one is added.
  if current_setting('transaction_isolation') = 'read committed' then
    update data_versions set changes = changes + 1
    where slot = (select slot from data_versions where table_name = tg_table_name for update skip locked limit 1);
  end if;
  if not found then
    insert into data_versions (table_name, changes) values (tg_table_name, 1);
  end if;
  perform set_config('market.changed_tables', v_noted || ' ' || tg_table_name || ' ', true);
  return null;
end
$$;

-- The tables that public answers are made from (`versionedTables` in the code; a test compares). `always`: also for changes that skip other triggers.
do $$
declare
  v_table text;
begin
  foreach v_table in array array[
    'agents', 'agent_figures', 'services', 'reviews', 'orders', 'settlements', 'deliverables', 'hidden_portfolio',
    'users', 'user_wallets', 'wallet_profiles', 'payment_claims', 'chain_receipts', 'payouts', 'events', 'treasury_readings', 'market_clock'
  ] loop
    execute format('create trigger %I after insert or update or delete or truncate on %I for each statement execute function note_change()',
                   v_table || '_note_change', v_table);
    execute format('alter table %I enable always trigger %I', v_table, v_table || '_note_change');
    insert into data_versions (table_name) values (v_table);
  end loop;
end
$$;
