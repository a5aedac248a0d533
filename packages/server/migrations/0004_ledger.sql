-- why: double-entry books in which an imbalance, an overdraft or a rewritten posting cannot be stored

-- Signs: what we owe is positive, what we hold is negative. Every transfer sums to zero per network.
--   treasury    USDC in our wallet on that network (held, so negative)
--   interchain  what one network's treasury lent another when a payout left on another chain than the money came in on
--   unmatched   a receipt nobody has claimed yet; owner is `<network>/<reference>`
--   escrow      held for an order; owner is the order
--   agent_payable, refund_payable, surplus_payable   owed to an agent, to a payer, to a payer who paid too much
--   platform_fee  earned by the marketplace
--   in_flight   reserved for one outgoing transfer; owner is the payout
--   earn_pool, earn_payable   deposits of Earn
create table ledger_accounts (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('treasury', 'interchain', 'unmatched', 'escrow', 'agent_payable', 'refund_payable', 'surplus_payable',
                                     'platform_fee', 'in_flight', 'earn_pool', 'earn_payable')),
  owner text not null default '',
  network text not null,
  balance_micros bigint not null default 0,
  unique (kind, owner, network),
  constraint ledger_no_overdraft check (kind in ('treasury', 'interchain') or balance_micros >= 0)
);

create table ledger_transfers (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id text not null,
  -- The same movement posted twice is one movement.
  idempotency_key text not null unique,
  posted_at timestamptz not null default market_now()
);
create index ledger_transfers_subject on ledger_transfers (subject_id, id);

create table ledger_entries (
  transfer_id bigint not null references ledger_transfers (id),
  account_id bigint not null references ledger_accounts (id),
  amount_micros bigint not null check (amount_micros <> 0),
  primary key (transfer_id, account_id)
);
create index ledger_entries_account on ledger_entries (account_id, transfer_id);

-- The journal: transfers in a gap-free order, each hash covering the one before. Written behind the postings, so that
-- postings need not wait for each other; a transfer that stays unsealed is found by the audit.
create table ledger_seals (
  number bigint primary key check (number > 0),
  transfer_id bigint not null unique references ledger_transfers (id),
  previous_hash bytea not null,
  hash bytea not null,
  sealed_at timestamptz not null default market_now()
);

-- Transfers that wait for their seal, so that the sealer need not look for them among all.
create table ledger_unsealed (transfer_id bigint primary key references ledger_transfers (id));
create function queue_for_seal() returns trigger language plpgsql as
$$ begin insert into ledger_unsealed values (new.id); return null; end $$;
create trigger ledger_transfers_queue after insert on ledger_transfers for each row execute function queue_for_seal();

create function refuse_ledger_change() returns trigger language plpgsql as
$$ begin raise exception 'the ledger is append-only'; end $$;
create trigger ledger_transfers_append_only before update or delete on ledger_transfers for each row execute function refuse_ledger_change();
create trigger ledger_entries_append_only before update or delete on ledger_entries for each row execute function refuse_ledger_change();
create trigger ledger_seals_append_only before update or delete on ledger_seals for each row execute function refuse_ledger_change();

-- The balance of an account is the sum of its entries because nothing but an entry can change it. A treasury keeps none: every
-- receipt and every payout of a network would wait for that one row. What it holds is what all others are owed, since transfers
-- sum to zero; and as nobody can be owed less than nothing, it can never owe.
create function apply_ledger_entry() returns trigger language plpgsql as
$$ begin
  update ledger_accounts set balance_micros = balance_micros + new.amount_micros where id = new.account_id and kind <> 'treasury';
  return null;
end $$;
create trigger ledger_entries_apply after insert on ledger_entries for each row execute function apply_ledger_entry();

-- At commit every transfer must balance per network and have two sides.
create function require_balanced_transfer() returns trigger language plpgsql as
$$ begin
  if exists (
    select 1 from ledger_entries e join ledger_accounts a on a.id = e.account_id
    where e.transfer_id = new.id group by a.network having sum(e.amount_micros) <> 0
  ) or (select count(*) from ledger_entries where transfer_id = new.id) < 2 then
    raise exception 'ledger transfer % does not balance', new.id using errcode = 'check_violation', constraint = 'ledger_balanced';
  end if;
  return null;
end $$;
create constraint trigger ledger_transfers_balanced after insert on ledger_transfers
  deferrable initially deferred for each row execute function require_balanced_transfer();
-- An entry added to an old transfer is checked as well.
create function require_balanced_entry() returns trigger language plpgsql as
$$ begin
  if exists (
    select 1 from ledger_entries e join ledger_accounts a on a.id = e.account_id
    where e.transfer_id = new.transfer_id group by a.network having sum(e.amount_micros) <> 0
  ) then
    raise exception 'ledger transfer % does not balance', new.transfer_id using errcode = 'check_violation', constraint = 'ledger_balanced';
  end if;
  return null;
end $$;
create constraint trigger ledger_entries_balanced after insert on ledger_entries
  deferrable initially deferred for each row execute function require_balanced_entry();

-- One round trip per posting. Accounts are made and locked in one order for everybody, so that postings never deadlock.
-- Returns the transfer's id, or null when this movement was posted before.
create function post_ledger_transfer(p_kind text, p_subject text, p_key text, p_entries jsonb) returns bigint language plpgsql as
$$
declare
  v_transfer bigint;
  v_account bigint;
  v_entry record;
begin
  insert into ledger_transfers (kind, subject_id, idempotency_key) values (p_kind, p_subject, p_key)
    on conflict (idempotency_key) do nothing returning id into v_transfer;
  if v_transfer is null then return null; end if;

  for v_entry in
    select e.kind, e.owner, e.network, e.amount
    from jsonb_to_recordset(p_entries) as e (kind text, owner text, network text, amount bigint)
    order by e.kind, e.owner, e.network
  loop
    select id into v_account from ledger_accounts where kind = v_entry.kind and owner = v_entry.owner and network = v_entry.network;
    if v_account is null then
      insert into ledger_accounts (kind, owner, network) values (v_entry.kind, v_entry.owner, v_entry.network)
        on conflict (kind, owner, network) do nothing;
      select id into strict v_account from ledger_accounts
        where kind = v_entry.kind and owner = v_entry.owner and network = v_entry.network;
    end if;
    insert into ledger_entries (transfer_id, account_id, amount_micros) values (v_transfer, v_account, v_entry.amount);
  end loop;
  return v_transfer;
end
$$;

create function ledger_transfer_digest(p_transfer bigint, p_previous bytea) returns bytea language sql stable as
$$
  select sha256(p_previous || convert_to(
    t.id || '|' || t.kind || '|' || t.subject_id || '|' || t.idempotency_key || '|' || extract(epoch from t.posted_at)::text || '|' ||
    (select string_agg(e.account_id || ':' || e.amount_micros, ',' order by e.account_id) from ledger_entries e where e.transfer_id = t.id), 'utf8'))
  from ledger_transfers t where t.id = p_transfer
$$;

-- Seals up to p_limit transfers. A transfer whose neighbours are still uncommitted may be sealed later than a younger one:
-- the order of seals is the order in which the sealer saw them, which is all a tamper-evident journal needs.
create function seal_ledger(p_limit integer) returns integer language plpgsql as
$$
declare
  v_number bigint;
  v_hash bytea;
  v_transfer bigint;
  v_sealed integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('ledger-seal', 0));
  select number, hash into v_number, v_hash from ledger_seals order by number desc limit 1;
  v_number := coalesce(v_number, 0);
  v_hash := coalesce(v_hash, sha256(convert_to('genesis', 'utf8')));
  for v_transfer in
    delete from ledger_unsealed where transfer_id in (select u.transfer_id from ledger_unsealed u order by u.transfer_id limit p_limit) returning transfer_id
  loop
    v_number := v_number + 1;
    insert into ledger_seals (number, transfer_id, previous_hash, hash)
      values (v_number, v_transfer, v_hash, ledger_transfer_digest(v_transfer, v_hash)) returning hash into v_hash;
    v_sealed := v_sealed + 1;
  end loop;
  return v_sealed;
end
$$;
