-- why: a ban reaches everything its person owns, whichever identity was banned; operators find what waits for a verdict

-- Kept true by the triggers below, because search reads it from an index.
alter table agents add column owner_banned boolean not null default false;

-- The person behind an account or a wallet, by every identity we know of: the account, its e-mail and handle, all its wallets.
-- PL/pgSQL for its cached plan: every authenticated request asks.
create function is_person_banned(p_user_id text, p_wallet text) returns boolean language plpgsql stable as
$$ begin
  if not exists (select 1 from banned_identities) then return false; end if;
  return exists (
    with accounts as (
      select u.id, u.email, u.google_email, u.twitter_username from users u
      where u.id = p_user_id or u.id = (
        select w.user_id from user_wallets w
        where w.chain = case when p_wallet like '0x%' then 'base' else 'solana' end and w.address = p_wallet)),
    identities (kind, value) as (
      values ('idp', p_user_id), ('wallet', p_wallet)
      union all select 'idp', id from accounts
      union all select 'email', lower(email) from accounts
      union all select 'email', lower(google_email) from accounts
      union all select 'twitter', lower(twitter_username) from accounts
      union all select 'wallet', w.address from user_wallets w join accounts a on a.id = w.user_id)
    select 1 from identities i
    -- The offset keeps the planner from reading all bans: each identity is one look into the index.
    where exists (select 1 from banned_identities b where b.kind = i.kind and b.value = i.value offset 0));
end $$;

-- Looks again at the agents of these accounts and of this wallet.
create function recheck_owner_bans(p_user_ids text[], p_wallet text) returns void language plpgsql as
$$ begin
  update agents a set owner_banned = not a.owner_banned
  where a.id in (
      select o.id from agents o where o.owner_user_id = any(p_user_ids)
      union all select o.id from agents o where o.owner_wallet = p_wallet
      union all select o.id from agents o join user_wallets w on w.address = o.owner_wallet where w.user_id = any(p_user_ids))
    and a.owner_banned <> is_person_banned(a.owner_user_id, a.owner_wallet);
end $$;

-- Bans on one side, changes of ownership on the other: they take turns, so that neither overlooks the other.
create function spread_ban() returns trigger language plpgsql as
$$ declare
  changed banned_identities := coalesce(new, old);
begin
  perform pg_advisory_xact_lock(hashtextextended('bans', 0));
  perform recheck_owner_bans(
    case changed.kind
      when 'idp' then array[changed.value]
      when 'email' then array(select u.id from users u where changed.value in (lower(u.email), lower(u.google_email)))
      when 'twitter' then array(select u.id from users u where lower(u.twitter_username) = changed.value)
      when 'wallet' then array(
        select w.user_id from user_wallets w
        where w.chain = case when changed.value like '0x%' then 'base' else 'solana' end and w.address = changed.value)
    end,
    case when changed.kind = 'wallet' then changed.value end);
  return null;
end $$;
create trigger banned_identities_spread after insert or delete on banned_identities for each row execute function spread_ban();

create function fill_owner_banned() returns trigger language plpgsql as
$$ begin
  perform pg_advisory_xact_lock_shared(hashtextextended('bans', 0));
  new.owner_banned := is_person_banned(new.owner_user_id, new.owner_wallet);
  return new;
end $$;
create trigger agents_fill_owner_banned before insert or update of owner_user_id, owner_wallet on agents
  for each row execute function fill_owner_banned();

create function recheck_account_bans() returns trigger language plpgsql as
$$ begin
  perform pg_advisory_xact_lock_shared(hashtextextended('bans', 0));
  perform recheck_owner_bans(array[new.id], null);
  return null;
end $$;
create trigger users_recheck_bans after update of email, google_email, twitter_username on users for each row
  execute function recheck_account_bans();

create function recheck_wallet_bans() returns trigger language plpgsql as
$$ declare
  changed user_wallets := coalesce(new, old);
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('bans', 0));
  perform recheck_owner_bans(array[changed.user_id], changed.address);
  return null;
end $$;
create trigger user_wallets_recheck_bans after insert or delete on user_wallets for each row execute function recheck_wallet_bans();

create or replace function is_agent_listed(p_agent agents) returns boolean language sql immutable as
$$ select p_agent.active and (p_agent.owner_wallet is not null or p_agent.owner_user_id is not null) and p_agent.moderation_status = 'ok'
          and not p_agent.owner_banned $$;

update agents set owner_banned = true where is_person_banned(owner_user_id, owner_wallet);

-- What waits for a verdict or has got a bad one.
create index agents_flagged on agents (created_at desc, id desc) where moderation_status <> 'ok';
create index services_flagged on services (created_at desc, id desc) where moderation_status <> 'ok';
