-- why: a workspace without answers no longer counts as completed; saved searches hear of services that become public after they were made

-- The follower of figures counts ended workspaces again: only the provider's answers and deliveries count now.
insert into event_queue (follower, event_id)
  select 'figures', e.id from events e join orders o on o.id = e.subject_id
  where e.type in ('order.completed', 'order.cancelled') and o.due_at is null and o.paid_micros > 0 on conflict do nothing;

-- When a service first became public. Saved searches look at what is new by it. Services that surely never were public keep null.
alter table services add column listed_at timestamptz(3);
update services s set listed_at = s.created_at from agents a
  where a.id = s.agent_id and s.moderation_status <> 'review' and a.moderation_status <> 'review'
    and (a.owner_wallet is not null or a.owner_user_id is not null);
create index services_listed on services (listed_at, id) where listed;

-- Only the first time counts: turning a service off and on again makes nothing new.
create or replace function fill_service_agent() returns trigger language plpgsql as
$$ begin
  select a.name, is_agent_listed(a), coalesce(a.payout_chain, 'solana') into new.agent_name, new.agent_listed, new.agent_chain
  from agents a where a.id = new.agent_id for share;
  new.listed_at := case when new.active and new.moderation_status = 'ok' and new.agent_listed then new.created_at end;
  return new;
end $$;

create function date_service_listing() returns trigger language plpgsql as
$$ begin
  -- The generated column `listed` has no value yet in a trigger that runs before the row is written.
  if new.active and new.moderation_status = 'ok' and new.agent_listed then new.listed_at := market_now(); end if;
  return new;
end $$;
create trigger services_date_listing before update of active, moderation_status, agent_listed on services for each row
  when (new.listed_at is null) execute function date_service_listing();

-- Words of services that became public by a change of their agent were never learned.
insert into search_words
  select distinct w from services s cross join lateral unnest(tsvector_to_array(s.search)) w where s.listed and is_search_word(w) on conflict do nothing;
