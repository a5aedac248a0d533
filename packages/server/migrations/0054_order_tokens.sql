-- why: order tokens get an end and remember which program got them; open streams hear at once when a credential ends

alter table order_tokens
  -- The latest end. A token also ends some days after its order (`orderDurations` in the contract).
  add column expires_at timestamptz,
  -- Ended before its time: by a contest, or with the program that got it.
  add column ended_at timestamptz,
  -- `presenter`: given to the first presenter of a bare transfer, who may not be the payer.
  add column holder text not null default 'payer' check (holder in ('payer', 'presenter')),
  -- The connected program that got the token. No foreign key: connections are forgotten earlier.
  add column connection_id text;

-- Only first presenters got tokens that merely read.
update order_tokens set holder = 'presenter' where reads_only;
-- From when they were issued. While the order is open, at least 30 days from this upgrade.
update order_tokens t
set expires_at = greatest(
  t.created_at + interval '90 days',
  case when o.completed_at is null and o.cancelled_at is null then market_now() + interval '30 days' end)
from orders o where o.id = t.order_id;

alter table order_tokens
  alter column expires_at set not null,
  -- A first presenter proved no payment, so its token never acts.
  add constraint order_tokens_presenter_reads check (holder = 'payer' or reads_only);
create index order_tokens_connection on order_tokens (connection_id) where connection_id is not null;

-- What happened to credentials in the last minutes. Streams are woken by NOTIFY; behind a pooler without NOTIFY they read this.
create table credential_changes (
  id bigint generated always as identity primary key,
  -- `agent:`, `user:`, `wallet:`, `order:` or `connection:` with an id; `*` for everybody.
  subject text not null,
  changed_at timestamptz not null default clock_timestamp()
);
create index credential_changes_time on credential_changes (changed_at);

-- A trigger, so that no command can end a credential and forget the streams that it opened.
create function announce_credential_change(p_subject text) returns void language plpgsql as
$$
begin
  insert into credential_changes (subject) values (p_subject);
  perform pg_notify('market_credentials', p_subject);
end
$$;

create function agent_credentials_changed() returns trigger language plpgsql as
$$ begin perform announce_credential_change('agent:' || new.id); return null; end $$;
create trigger agents_credentials after update of api_key_hash, active, owner_wallet, owner_user_id on agents
  for each row when (
    (old.api_key_hash, old.active, old.owner_wallet, old.owner_user_id) is distinct from (new.api_key_hash, new.active, new.owner_wallet, new.owner_user_id))
  execute function agent_credentials_changed();

-- Sessions that expired are removed in bulk; nothing is open in their name.
create function session_ended() returns trigger language plpgsql as
$$ begin
  if old.expires_at > market_now() then perform announce_credential_change('wallet:' || old.wallet); end if;
  return null;
end $$;
create trigger sessions_credentials after delete on sessions for each row execute function session_ended();

create function connection_changed() returns trigger language plpgsql as
$$ begin perform announce_credential_change('connection:' || new.id); return null; end $$;
create trigger connections_credentials after update of revoked_at, scopes, agent_id on connections
  for each row when ((old.revoked_at, old.scopes, old.agent_id) is distinct from (new.revoked_at, new.scopes, new.agent_id))
  execute function connection_changed();

create function order_token_ended() returns trigger language plpgsql as
$$ begin perform announce_credential_change('order:' || old.order_id); return null; end $$;
create trigger order_tokens_credentials after update of ended_at, expires_at on order_tokens
  for each row when ((old.ended_at, old.expires_at) is distinct from (new.ended_at, new.expires_at)) execute function order_token_ended();
create trigger order_tokens_deleted after delete on order_tokens for each row execute function order_token_ended();

create function wallet_unlinked() returns trigger language plpgsql as
$$ begin perform announce_credential_change('user:' || old.user_id); return null; end $$;
create trigger user_wallets_credentials after delete on user_wallets for each row execute function wallet_unlinked();

-- One identity may stand for an account, its wallets and its agents, so everybody is asked again. Bans are rare.
create function identity_banned() returns trigger language plpgsql as
$$ begin perform announce_credential_change('*'); return null; end $$;
create trigger banned_identities_credentials after insert on banned_identities for each row execute function identity_banned();
