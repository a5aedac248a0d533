-- why: a posting is checked and booked once per statement; triggers, foreign keys and long checks per entry cost most of its time

drop trigger ledger_transfers_queue on ledger_transfers;
drop trigger ledger_transfers_balanced on ledger_transfers;
drop trigger ledger_entries_apply on ledger_entries;
drop trigger ledger_entries_balanced on ledger_entries;
drop trigger ledger_accounts_float on ledger_accounts;
drop function post_ledger_transfer(text, text, text, jsonb);
drop function queue_for_seal();
drop function require_balanced_transfer();
drop function apply_ledger_entry();
drop function require_balanced_entry();

-- PostgreSQL reads the text of a CHECK anew in every statement, 20 microseconds for a list of words, but that of a domain once per session.
create domain ledger_account_kind as text check (value in (
  'treasury', 'interchain', 'unmatched', 'escrow', 'agent_payable', 'refund_payable', 'surplus_payable', 'platform_fee', 'in_flight',
  'earn_pool', 'earn_payable', 'unbooked'));
alter table ledger_accounts drop constraint ledger_accounts_kind_check;
alter table ledger_accounts drop constraint ledger_no_overdraft;
alter table ledger_accounts
  alter column kind type ledger_account_kind,
  add constraint ledger_no_overdraft check (kind in ('treasury', 'interchain', 'unbooked') or balance_micros >= 0);
create constraint trigger ledger_accounts_float after update on ledger_accounts deferrable initially deferred
  for each row when (new.kind in ('interchain', 'platform_fee') and new.balance_micros < old.balance_micros)
  execute function require_network_float();
-- Room for the next balance on the same page.
alter table ledger_accounts set (fillfactor = 70);

-- The trigger below looks for transfer and account of all entries at once. A foreign key looks for each by itself and locks it: every receipt
-- would share a lock on its treasury's row. In exchange no account or transfer can be removed or become another one.
alter table ledger_entries drop constraint ledger_entries_transfer_id_fkey;
alter table ledger_entries drop constraint ledger_entries_account_id_fkey;
alter table ledger_unsealed drop constraint ledger_unsealed_transfer_id_fkey;
create trigger ledger_accounts_stay before delete or update of id, kind, owner, network on ledger_accounts
  for each row execute function refuse_ledger_change();
create trigger ledger_accounts_never_emptied before truncate on ledger_accounts for each statement execute function refuse_ledger_change();
create trigger ledger_transfers_never_emptied before truncate on ledger_transfers for each statement execute function refuse_ledger_change();
create trigger ledger_entries_never_emptied before truncate on ledger_entries for each statement execute function refuse_ledger_change();
create trigger ledger_seals_never_emptied before truncate on ledger_seals for each statement execute function refuse_ledger_change();

-- A transfer comes with its entries, in one statement, and waits for its seal.
create function begin_ledger_transfer() returns trigger language plpgsql as
$$ begin
  if not exists (select 1 from ledger_entries where transfer_id = new.id) then
    raise exception 'ledger transfer % does not balance', new.id using errcode = 'check_violation', constraint = 'ledger_balanced';
  end if;
  insert into ledger_unsealed values (new.id);
  return null;
end $$;
create trigger ledger_transfers_begin after insert on ledger_transfers for each row execute function begin_ledger_transfer();

-- What a statement adds to a transfer balances per network, and so does the transfer, since it began with nothing; as no entry is zero, it has
-- two sides. Each amount is added to the balance of its account, which nothing else changes. A treasury keeps none: every receipt and every
-- payout of a network would wait for that one row. Accounts are locked in the order of their ids, so that postings never deadlock.
create function book_ledger_entries() returns trigger language plpgsql
  -- A plan is kept for the life of a connection: made on empty tables, it would scan them when they are full.
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as
$$
declare
  v_entry record;
  v_transfer bigint;
  v_network text;
  v_sum bigint := 0;
  v_several boolean := false;
begin
  for v_entry in
    select d.transfer_id, d.account_id, d.amount_micros, a.kind, a.network
    from added d left join ledger_accounts a on a.id = d.account_id order by d.account_id
  loop
    v_sum := v_sum + v_entry.amount_micros;
    if v_entry.transfer_id <> v_transfer or v_entry.network <> v_network or v_entry.network is null then v_several := true; end if;
    v_transfer := v_entry.transfer_id;
    v_network := v_entry.network;
    if v_entry.kind <> 'treasury' then
      update ledger_accounts set balance_micros = balance_micros + v_entry.amount_micros where id = v_entry.account_id;
    end if;
  end loop;
  -- The usual posting is one transfer on one network, so its sum says everything.
  if v_several then
    select d.transfer_id into v_transfer from added d left join ledger_accounts a on a.id = d.account_id
    group by d.transfer_id, a.network having sum(d.amount_micros) <> 0 or a.network is null limit 1;
  end if;
  if v_sum <> 0 or v_several and found or exists (
    select 1 from added d where not exists (select 1 from ledger_transfers t where t.id = d.transfer_id)
  ) then
    raise exception 'ledger transfer % does not balance', v_transfer using errcode = 'check_violation', constraint = 'ledger_balanced';
  end if;
  return null;
end
$$;
create trigger ledger_entries_book after insert on ledger_entries referencing new table as added
  for each statement execute function book_ledger_entries();

-- One round trip per posting: finds or makes the accounts, then writes transfer and entries with one statement. Short statements, whose plans
-- are kept: for two to four entries they cost half of what one statement over all of them does.
-- Returns the transfer's id, or null when this movement was posted before.
create function post_ledger_transfer(
  p_kind text, p_subject text, p_key text, p_kinds text[], p_owners text[], p_networks text[], p_amounts bigint[]
) returns bigint language plpgsql as
$$
declare
  v_accounts bigint[];
  v_account bigint;
  v_transfer bigint;
begin
  for i in 1 .. cardinality(p_amounts) loop
    select id into v_account from ledger_accounts where kind = p_kinds[i] and owner = p_owners[i] and network = p_networks[i];
    if v_account is null then
      insert into ledger_accounts (kind, owner, network) values (p_kinds[i], p_owners[i], p_networks[i])
        on conflict (kind, owner, network) do nothing returning id into v_account;
    end if;
    if v_account is null then
      select id into strict v_account from ledger_accounts where kind = p_kinds[i] and owner = p_owners[i] and network = p_networks[i];
    end if;
    v_accounts[i] := v_account;
  end loop;
  with posted as (
    insert into ledger_transfers (kind, subject_id, idempotency_key) values (p_kind, p_subject, p_key)
    on conflict (idempotency_key) do nothing returning id),
  entered as (
    insert into ledger_entries (transfer_id, account_id, amount_micros)
    select posted.id, e.account, e.amount from posted cross join unnest(v_accounts, p_amounts) as e (account, amount))
  select id into v_transfer from posted;
  return v_transfer;
end
$$;
