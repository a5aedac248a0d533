-- why: people close accounts, agents and profiles: what identifies them goes, books and other people's orders stay

alter table users add column closed_at timestamptz(3);
alter table agents add column closed_at timestamptz(3);
-- Nobody's for ever: a call that waited for the closing makes it nobody's owner.
alter table agents add constraint closed_agent check (closed_at is null or
  (owner_user_id is null and owner_wallet is null and payout_wallet is null and payout_address_base is null and endpoint_url is null and not active));

-- SHA-256 of names and of slugs (`slug:…`) that nobody may take again: orders, reviews and links speak of the agent that had them.
create table retired_names (
  hash bytea primary key,
  retired_at timestamptz(3) not null default market_now()
);

-- SHA-256 of closed account and wallet (`account address`): a link that the wallet undid stays undone when the account signs in again.
create table parted_wallets (
  hash bytea primary key,
  parted_at timestamptz(3) not null default market_now()
);

alter table delayed_moves drop constraint delayed_moves_kind_check;
alter table delayed_moves add constraint delayed_moves_kind_check
  check (kind in ('wallet_send', 'key_export', 'withdraw_address', 'earn_withdrawal', 'account_closing', 'agent_closing'));
alter table delayed_moves drop constraint delayed_moves_of_agents;
alter table delayed_moves add constraint delayed_moves_of_agents check (kind in ('earn_withdrawal', 'account_closing') or agent_id is not null);

-- True only in the transaction of a closing. It may take a person out of a history, and change nothing else of it.
create function is_closing() returns boolean language sql stable as $$ select coalesce(current_setting('market.closing', true), '') = 'on' $$;

create or replace function refuse_event_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and is_closing() and (old.id, old.type, old.created_at, old.agent_id, old.agent_seq)
      is not distinct from (new.id, new.type, new.created_at, new.agent_id, new.agent_seq) then return new; end if;
  raise exception 'events are append-only';
end $$;
create or replace function refuse_step_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and is_closing() and (old.order_id, old.number, old.command, old.from_status, old.to_status, old.actor_role, old.at)
      is not distinct from (new.order_id, new.number, new.command, new.from_status, new.to_status, new.actor_role, new.at) then return new; end if;
  raise exception 'the history of an order is append-only';
end $$;
create or replace function refuse_earn_history_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and is_closing() and (to_jsonb(old) - 'owner_id') = (to_jsonb(new) - 'owner_id') then return new; end if;
  raise exception 'earn_movements is append-only';
end $$;
create or replace function keep_onchain_feedback() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and is_closing() and (to_jsonb(old) - 'file') = (to_jsonb(new) - 'file') then return new; end if;
  if tg_op = 'DELETE' or (old.file_hash, old.file, old.uri, old.review_id, old.order_id, old.agent_id, old.registry, old.agent_registry,
      old.onchain_id, old.client_wallet, old.value) is distinct from (new.file_hash, new.file, new.uri, new.review_id, new.order_id,
      new.agent_id, new.registry, new.agent_registry, new.onchain_id, new.client_wallet, new.value)
      or old.state = 'published' then
    raise exception 'what is published on chain is fixed';
  end if;
  return new;
end $$;

-- Free text of these keys becomes neutral at any depth; ids of the person become those of the closed account.
create function without_person(value jsonb, keys text[], ids jsonb) returns jsonb language sql immutable as $$
  select case jsonb_typeof(value)
    when 'object' then (select coalesce(jsonb_object_agg(e.key, case
        when e.key = any(keys) and jsonb_typeof(e.value) = 'string' then to_jsonb('Removed: this account was closed.'::text)
        when e.key = any(keys) and jsonb_typeof(e.value) = 'array' then '[]'::jsonb
        when e.key = any(keys) and jsonb_typeof(e.value) = 'object' then '{}'::jsonb
        else without_person(e.value, keys, ids) end), '{}') from jsonb_each(value) e)
    when 'array' then (select coalesce(jsonb_agg(without_person(e.value, keys, ids) order by e.place), '[]')
        from jsonb_array_elements(value) with ordinality e(value, place))
    when 'string' then coalesce(ids->(value #>> '{}'), value)
    else value end
$$;

-- The name becomes neutral where a name stands: under one of these keys, also in a list. Elsewhere the same text means something else,
-- such as the role “provider” or the network “base-mainnet”.
create function without_name(value jsonb, keys text[], name jsonb, neutral jsonb, is_named boolean default false) returns jsonb language sql immutable as $$
  select case jsonb_typeof(value)
    when 'object' then (select coalesce(jsonb_object_agg(e.key, without_name(e.value, keys, name, neutral, e.key = any(keys))), '{}') from jsonb_each(value) e)
    when 'array' then (select coalesce(jsonb_agg(without_name(e.value, keys, name, neutral, is_named) order by e.place), '[]')
        from jsonb_array_elements(value) with ordinality e(value, place))
    else case when is_named and value = name then neutral else value end end
$$;

-- A closed agent takes part in nothing new. The lock makes an order and a closing at the same moment follow each other.
create function require_open_agent(named text) returns void language plpgsql as $$
declare
  closed timestamptz;
begin
  if named is null then return; end if;
  -- Without a condition on the date: one would be judged before the lock is waited for.
  select a.closed_at into closed from agents a where a.id = named for key share;
  if closed is not null then raise exception 'the agent is closed' using errcode = 'check_violation', constraint = 'closed_agent'; end if;
end $$;
create function refuse_closed_agent() returns trigger language plpgsql as $$
begin
  perform require_open_agent(to_jsonb(new)->>column_name) from unnest(tg_argv) as column_name;
  return new;
end $$;
-- Before the money moves: afterwards it could buy nothing.
create function refuse_payment_to_closed_agent() returns trigger language plpgsql as $$
begin
  perform require_open_agent(new.request->'service'->>'agentId'), require_open_agent(new.request->>'client_agent_id');
  return new;
end $$;
create trigger payments_to_open_agents before insert or update on x402_payments for each row when (new.state = 'settling')
  execute function refuse_payment_to_closed_agent();
create trigger orders_of_open_agents before insert on orders for each row execute function refuse_closed_agent('provider_agent_id', 'client_agent_id');
create trigger claims_of_open_agents before insert on bounty_claims for each row execute function refuse_closed_agent('agent_id');
create trigger services_of_open_agents before insert on services for each row execute function refuse_closed_agent('agent_id');
create trigger movements_of_open_agents before insert on wallet_movements for each row execute function refuse_closed_agent('agent_id');
create trigger connections_of_open_agents before insert on connections for each row execute function refuse_closed_agent('agent_id');
create trigger moves_of_open_agents before insert on delayed_moves for each row execute function refuse_closed_agent('agent_id');
