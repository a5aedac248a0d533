-- why: money out was ordered in four tables with the same states; an intent is one row now, and a feature keeps beside it only what is its own
-- formerly: 75f9750d7ce89834f8931480a83ce9d7e3ae02406d2e1c4459e51c8eb47f3db6

-- Whoever had a right on all four, as a role of the service or of backups, has it on what they became. Others, as a signer of its own, may
-- read the views of the tables that they could read.
create temporary table rights on commit drop as
  select c.relname as shown, case when a.grantee = 0 then 'public' else a.grantee::regrole::text end as holder, a.privilege_type as may,
         count(*) over (partition by a.grantee, a.privilege_type) = 4 as on_all
  from pg_class c, aclexplode(c.relacl) a
  where c.oid in ('payouts'::regclass, 'wallet_movements'::regclass, 'creator_fee_payouts'::regclass, 'earn_intents'::regclass)
    and a.grantee <> c.relowner
  group by c.relname, a.grantee, a.privilege_type;
-- Rights on single columns. Those on columns of payouts would become rights on all money out.
create temporary table column_rights on commit drop as
  select c.relname as shown, case when a.grantee = 0 then 'public' else a.grantee::regrole::text end as holder, a.privilege_type as may, t.attname
  from pg_class c join pg_attribute t on t.attrelid = c.oid and not t.attisdropped, aclexplode(t.attacl) a
  where c.oid in ('payouts'::regclass, 'wallet_movements'::regclass, 'creator_fee_payouts'::regclass, 'earn_intents'::regclass)
    and a.grantee <> c.relowner;

alter table payouts rename to outgoing_intents;
alter table outgoing_intents rename column amount_micros to amount;
alter table outgoing_intents
  -- The account it leaves: a treasury, the vault of creator fees, or the address of an agent's wallet.
  add column payer text not null default 'treasury',
  add column asset text not null default 'usdc' check (asset in ('usdc', 'native')),
  -- Null: what a venue is asked for is no amount of USDC.
  alter column amount drop not null,
  drop constraint payouts_purpose_check,
  drop constraint payouts_state_check;
alter table outgoing_intents
  add constraint outgoing_intents_purpose_check check (purpose in (
    'payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal',
    'send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration', 'earn_deposit',
    'creator_fee', 'venue_deposit', 'venue_redeem', 'venue_allow')),
  -- failed: it cannot arrive, and its money is back where it came from. Payouts are parked or void instead.
  add constraint outgoing_intents_state_check
    check (state in ('queued', 'signed', 'sent', 'unknown', 'confirmed', 'parked', 'void', 'failed')),
  add constraint outgoing_intents_ends check (
    case when purpose in ('payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal') then state <> 'failed'
         else state not in ('parked', 'void') end),
  add constraint outgoing_intents_amount check ((amount is null) = (purpose in ('venue_redeem', 'venue_allow'))),
  add constraint outgoing_intents_payer check (
    case when purpose = 'creator_fee' then payer = 'creator_fees' and asset = 'native'
         when purpose in ('send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration', 'earn_deposit')
           then payer not in ('treasury', 'creator_fees')
         else payer = 'treasury' and asset = 'usdc' end),
  add constraint outgoing_intents_elsewhere check (destination <> payer);
alter table outgoing_intents rename constraint payouts_pkey to outgoing_intents_pkey;

drop index payouts_one_per_subject, payouts_open, payouts_of_network;
-- One payout per purpose and subject: this is what makes a second payout for one order impossible.
create unique index outgoing_intents_one_payout on outgoing_intents (purpose, subject_id)
  where state <> 'void' and purpose in ('payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal');
create unique index outgoing_intents_one_deposit on outgoing_intents (subject_id) where purpose = 'venue_deposit' and state <> 'failed';
create unique index outgoing_intents_one_redeem on outgoing_intents (subject_id)
  where purpose = 'venue_redeem' and state in ('queued', 'signed', 'sent', 'unknown');
create unique index outgoing_intents_one_allow on outgoing_intents (subject_id)
  where purpose = 'venue_allow' and state in ('queued', 'signed', 'sent', 'unknown');
create index outgoing_intents_open on outgoing_intents (updated_at) where state in ('queued', 'signed', 'sent', 'unknown');
create index outgoing_intents_of_subject on outgoing_intents (subject_id, purpose);
create index outgoing_intents_of_network on outgoing_intents (network, id)
  where purpose in ('payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal');
create index outgoing_intents_of_payouts on outgoing_intents (id)
  where purpose in ('payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal');
create index outgoing_intents_creator_fees on outgoing_intents (created_at desc, id desc) where purpose = 'creator_fee';
create index outgoing_intents_creator_fees_of_wallet on outgoing_intents (destination, created_at desc) where purpose = 'creator_fee';
create index outgoing_intents_reference on outgoing_intents (reference) where reference is not null;
alter index payouts_parked_for_account rename to outgoing_intents_parked_for_account;

-- Public answers name the table whose change makes them old.
drop trigger payouts_note_change on outgoing_intents;
create trigger outgoing_intents_note_change after insert or update or delete or truncate on outgoing_intents
  for each statement execute function note_change();
alter table outgoing_intents enable always trigger outgoing_intents_note_change;
update data_versions set table_name = 'outgoing_intents' where table_name = 'payouts';

-- Of a movement of an agent's wallet.
create table agent_movements (
  id text primary key references outgoing_intents (id),
  agent_id text not null references agents (id),
  -- Network fee and rent that the marketplace paid for it, in lamports or wei. Null: not known yet, or the wallet paid itself.
  fronted_native bigint check (fronted_native >= 0),
  not_sent_before boolean not null default false
);
create index agent_movements_of_agent on agent_movements (agent_id);

-- Of a payout of creator fees.
create table creator_fee_claims (
  id text primary key references outgoing_intents (id),
  share text not null check (share in ('agent', 'partner', 'buyback')),
  agent_id text references agents (id),
  mint text,
  -- Taken from the float with the reservation; what the network did not ask for goes back.
  fee_reserve_lamports bigint not null check (fee_reserve_lamports > 0),
  network_fee_lamports bigint,
  created_by text not null,
  paid_at timestamptz,
  constraint creator_fee_claims_of_agent check ((share = 'agent') = (mint is not null) and (mint is null) = (agent_id is null)),
  constraint creator_fee_claims_paid check ((paid_at is null) = (network_fee_lamports is null))
);
create index creator_fee_claims_agent on creator_fee_claims (agent_id) where agent_id is not null;

-- Of what the treasury asks of a venue.
create table venue_calls (
  id text primary key references outgoing_intents (id),
  kind text not null check (kind in ('deposit', 'redeem', 'allow')),
  vault_key text not null references earn_vaults (key),
  venue text not null,
  units numeric(39, 0) check (units > 0),
  -- The least that must come out, set when it is signed.
  min_out numeric(39, 0) check (min_out >= 0),
  result_assets bigint check (result_assets >= 0),
  result_units numeric(39, 0) check (result_units > 0),
  -- Of a redemption, the place of its withdrawal.
  queue_number bigint,
  constraint venue_calls_moves check ((kind = 'redeem') = (units is not null)),
  constraint venue_calls_ended check ((result_assets is null) = (result_units is null) and (kind <> 'allow' or result_assets is null))
);
create index venue_calls_of_vault on venue_calls (vault_key);

insert into outgoing_intents (id, purpose, subject_id, network, payer, destination, asset, amount, state, reason, reference, created_at, updated_at)
  select id, purpose, id, network, wallet, destination, asset, amount, state, reason, reference, created_at, updated_at from wallet_movements
  union all
  select id, 'creator_fee', coalesce(mint, share), 'solana-mainnet', 'creator_fees', recipient_wallet, 'native', lamports, state, reason,
         case when state = 'confirmed' then reference end, created_at, updated_at from creator_fee_payouts
  union all
  select id, 'venue_' || kind, subject_id, network, 'treasury', router, 'usdc', assets, state, reason, reference, created_at, updated_at
  from earn_intents;
insert into agent_movements (id, agent_id, fronted_native, not_sent_before)
  select id, agent_id, fronted_native, not_sent_before from wallet_movements;
insert into creator_fee_claims (id, share, agent_id, mint, fee_reserve_lamports, network_fee_lamports, created_by, paid_at)
  select id, share, agent_id, mint, fee_reserve_lamports, network_fee_lamports, created_by, paid_at from creator_fee_payouts;
insert into venue_calls (id, kind, vault_key, venue, units, min_out, result_assets, result_units, queue_number)
  select id, kind, vault_key, venue, units, min_out, result_assets, result_units, queue_number from earn_intents;
create trigger movements_of_open_agents before insert on agent_movements for each row execute function refuse_closed_agent('agent_id');

-- Whoever pointed at one of the four points at the intent. An unbooked transfer turned out to be one intent, of whatever kind.
drop index unbooked_outflows_intent;
alter table unbooked_outflows drop constraint unbooked_outflows_intent_id_fkey;
update unbooked_outflows set intent_id = coalesce(intent_id, payout_id);
alter table unbooked_outflows drop column payout_id;
alter table unbooked_outflows add constraint unbooked_outflows_intent_id_fkey foreign key (intent_id) references outgoing_intents (id);
create index unbooked_outflows_intent on unbooked_outflows (intent_key) where intent_id is null;
alter table earn_parts drop constraint earn_parts_intent_id_fkey;
alter table earn_parts add constraint earn_parts_intent_id_fkey foreign key (intent_id) references venue_calls (id);
alter table wallet_log drop constraint wallet_log_movement_id_fkey;
alter table wallet_log add constraint wallet_log_movement_id_fkey foreign key (movement_id) references agent_movements (id);
alter table agent_mints drop constraint agent_mints_movement_id_fkey;
alter table agent_mints add constraint agent_mints_movement_id_fkey foreign key (movement_id) references agent_movements (id);
alter table agent_registrations drop constraint agent_registrations_movement_id_fkey;
alter table agent_registrations add constraint agent_registrations_movement_id_fkey foreign key (movement_id) references agent_movements (id);
alter table earn_agent_deposits drop constraint earn_agent_deposits_movement_id_fkey;
alter table earn_agent_deposits add constraint earn_agent_deposits_movement_id_fkey foreign key (movement_id) references agent_movements (id);
alter table outgoing_attempts add constraint outgoing_attempts_intent_id_fkey foreign key (intent_id) references outgoing_intents (id);

drop table wallet_movements, creator_fee_payouts, earn_intents;

-- Each kind in the words of its feature. Its repository writes the tables.
create view payouts as
  select id, purpose, subject_id, network, destination, amount as amount_micros, state, reason, reference, created_at, updated_at, parked_for
  from outgoing_intents
  where purpose in ('payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal');
create view wallet_movements as
  select i.id, m.agent_id, i.purpose, i.network, i.payer as wallet, i.destination, i.asset, i.amount, i.state, i.reason, i.reference,
         m.fronted_native, i.created_at, i.updated_at, m.not_sent_before
  from outgoing_intents i join agent_movements m on m.id = i.id;
create view creator_fee_payouts as
  select i.id, c.share, c.agent_id, c.mint, i.destination as recipient_wallet, i.amount as lamports, c.fee_reserve_lamports,
         c.network_fee_lamports, i.state, i.reason,
         coalesce(i.reference, (select a.reference from outgoing_attempts a
           where a.intent_id = i.id and a.state in ('signed', 'sent', 'unknown'))) as reference,
         c.created_by, i.created_at, i.updated_at, c.paid_at
  from outgoing_intents i join creator_fee_claims c on c.id = i.id
  where i.purpose = 'creator_fee';
create view earn_intents as
  select i.id, c.kind, c.vault_key, i.subject_id, i.network, i.destination as router, c.venue, i.amount as assets, c.units, c.min_out,
         i.state, i.reason, i.reference, c.result_assets, c.result_units, i.created_at, i.updated_at, c.queue_number
  from outgoing_intents i join venue_calls c on c.id = i.id;

do $$
declare
  v_right record;
begin
  for v_right in select holder from rights where shown = 'payouts' union select holder from column_rights where shown = 'payouts' loop
    execute format('revoke all on outgoing_intents from %s cascade', v_right.holder);
  end loop;
  for v_right in select shown, holder, may, on_all from rights loop
    if v_right.on_all then
      execute format('grant %s on outgoing_intents, agent_movements, creator_fee_claims, venue_calls to %s', v_right.may, v_right.holder);
      -- Some code writes payouts through their view, and locks rows through another.
      execute format('grant %s on %I to %s', v_right.may, v_right.shown, v_right.holder);
    end if;
    if v_right.may = 'SELECT' then execute format('grant select on %I to %s', v_right.shown, v_right.holder); end if;
  end loop;
  for v_right in select distinct shown, holder, attname from column_rights where may = 'SELECT' loop
    execute format('grant select (%I) on %I to %s', v_right.attname, v_right.shown, v_right.holder);
  end loop;
end
$$;
