-- why: people and agents save a search of services or bounties and are notified of new matches; open bounties of banned people are hidden

create table saved_searches (
  id text primary key,
  -- Whose feed hears of matches: user:…, wallet:… or agent:…
  owner text not null check (owner ~ '^(user|wallet|agent):.'),
  list text not null check (list in ('services', 'bounties')),
  name text not null check (length(name) between 1 and 80),
  -- Canonical JSON in one spelling, so that the same search is recognised. Text, because jsonb cannot hold every character.
  filters text not null,
  created_at timestamptz(3) not null default market_now(),
  -- Everything that was listed up to here has been looked at.
  looked_until timestamptz(3) not null,
  next_look_at timestamptz not null,
  last_match_at timestamptz,
  matches integer not null default 0 check (matches >= 0),
  constraint saved_searches_matched check ((matches > 0) = (last_match_at is not null))
);
-- Words are found whatever their case.
create unique index saved_searches_once on saved_searches (owner, list, lower(filters));
create index saved_searches_of_owner on saved_searches (owner, created_at desc, id desc);
create index saved_searches_due on saved_searches (next_look_at, id);

-- What a notification is about, where that is no order.
alter table notifications add column link text;

-- Open bounties of banned people are off the board. Kept true by triggers, as `agents.owner_banned` is (0011).
alter table bounties add column poster_banned boolean not null default false;

create or replace function recheck_owner_bans(p_user_ids text[], p_wallet text) returns void language plpgsql as
$$ begin
  update agents a set owner_banned = not a.owner_banned
  where a.id in (
      select o.id from agents o where o.owner_user_id = any(p_user_ids)
      union all select o.id from agents o where o.owner_wallet = p_wallet
      union all select o.id from agents o join user_wallets w on w.address = o.owner_wallet where w.user_id = any(p_user_ids))
    and a.owner_banned <> is_person_banned(a.owner_user_id, a.owner_wallet);
  update bounties b set poster_banned = not b.poster_banned
  where b.id in (
      select o.id from bounties o where o.user_id = any(p_user_ids)
      union all select o.id from bounties o where o.client_wallet = p_wallet
      union all select o.id from bounties o join user_wallets w on w.address = o.client_wallet where w.user_id = any(p_user_ids))
    and b.poster_banned <> is_person_banned(b.user_id, b.client_wallet);
end $$;

create function fill_poster_banned() returns trigger language plpgsql as
$$ begin
  perform pg_advisory_xact_lock_shared(hashtextextended('bans', 0));
  new.poster_banned := is_person_banned(new.user_id, new.client_wallet);
  return new;
end $$;
create trigger bounties_fill_poster_banned before insert or update of user_id, client_wallet on bounties
  for each row execute function fill_poster_banned();

update bounties set poster_banned = true where is_person_banned(user_id, client_wallet);
