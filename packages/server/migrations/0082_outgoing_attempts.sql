-- why: money out was stored four times around one carrier; the signed bytes of all of it stand in one table now
-- formerly: cb0693b0ef6ddedc4d2b952c2ec136b3113d3247c699fffcf54dffebd1538fb5

-- The next migration puts views in the place of the tables, and a view shows all rows to everybody who may read it.
do $$
declare
  v_table text;
begin
  select c.relname into v_table from pg_class c
  where c.relrowsecurity
    and c.oid in ('payouts'::regclass, 'wallet_movements'::regclass, 'creator_fee_payouts'::regclass, 'earn_intents'::regclass,
                  'payout_attempts'::regclass, 'wallet_attempts'::regclass, 'creator_fee_attempts'::regclass, 'earn_attempts'::regclass);
  if found then
    raise exception 'row-level security on % would be lost. Take the rights of the roles it limits away, disable it, and upgrade again', v_table;
  end if;
end
$$;

create table outgoing_attempts (
  -- A payout, a movement of an agent's wallet, a payout of creator fees, or a call of Earn.
  intent_id text not null,
  number integer not null check (number > 0),
  -- What was found on chain may have carried several intents.
  reference text not null,
  signed_bytes text not null,
  validity text not null,
  state text not null default 'signed' check (state in ('signed', 'sent', 'unknown', 'confirmed', 'expired', 'failed', 'replaced')),
  rent_lamports bigint not null default 0 check (rent_lamports >= 0),
  created_at timestamptz not null default market_now(),
  primary key (intent_id, number)
);
insert into outgoing_attempts (intent_id, number, reference, signed_bytes, validity, state, rent_lamports, created_at)
  select payout_id, number, reference, signed_bytes, validity, state, rent_lamports, created_at from payout_attempts
  union all select movement_id, number, reference, signed_bytes, validity, state, rent_lamports, created_at from wallet_attempts
  union all select payout_id, number, reference, signed_bytes, validity, state, 0, created_at from creator_fee_attempts
  union all select intent_id, number, reference, signed_bytes, validity, state, 0, created_at from earn_attempts;

-- Bytes that we signed belong to one attempt. The others say 'found on chain'.
create unique index outgoing_attempts_signed_once on outgoing_attempts (reference) where signed_bytes <> 'Zm91bmQgb24gY2hhaW4=';
create index outgoing_attempts_reference on outgoing_attempts (reference);
create unique index outgoing_attempts_one_confirmed on outgoing_attempts (intent_id) where state = 'confirmed';
-- A new attempt is signed only after the one before can no longer land.
create unique index outgoing_attempts_one_open on outgoing_attempts (intent_id) where state in ('signed', 'sent', 'unknown');
create index outgoing_attempts_recent on outgoing_attempts (created_at);
create index outgoing_attempts_rent on outgoing_attempts (created_at) where rent_lamports > 0;

-- Whoever had a right on all four has it on what they became.
do $$
declare
  v_right record;
begin
  for v_right in
    select case when a.grantee = 0 then 'public' else a.grantee::regrole::text end as holder, a.privilege_type as may
    from pg_class c, aclexplode(c.relacl) a
    where c.oid in ('payout_attempts'::regclass, 'wallet_attempts'::regclass, 'creator_fee_attempts'::regclass, 'earn_attempts'::regclass)
      and a.grantee <> c.relowner
    group by 1, 2 having count(distinct c.oid) = 4
  loop
    execute format('grant %s on outgoing_attempts to %s', v_right.may, v_right.holder);
  end loop;
end
$$;

drop table payout_attempts, wallet_attempts, creator_fee_attempts, earn_attempts;
