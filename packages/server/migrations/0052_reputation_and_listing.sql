-- why: one person is one buyer, and a workspace without answers is not completed; saved searches hear of services that become public after they were made

-- The account that a buyer belongs to: of the user, of the buying agent's owner, or of the wallet. A wallet of an agent is its owner's.
-- Without an account it is the owner's wallet, the buyer's wallet, or the agent.
create function known_buyer(p_order orders) returns text language sql stable as
$$
  select coalesce(p_order.user_id, a.owner_user_id,
                  (select min(w.user_id) from user_wallets w where w.address in (p_order.client_wallet, a.owner_wallet)),
                  a.owner_wallet, p_order.client_wallet, p_order.client_agent_id)
  from (select coalesce(p_order.client_agent_id, (select w.agent_id from agent_wallets w where w.address = p_order.client_wallet)) as id) buying
  left join agents a on a.id = buying.id
$$;

-- Noted from now on when an order is first counted, and kept: later changes of ownership change no reputation.
update counted_orders c set buyer = known_buyer(o) from orders o where o.id = c.order_id;
truncate subject_buyers;
insert into subject_buyers (subject, buyer, settled_orders, kept_orders, good_orders)
  select s.subject, c.buyer, sum(c.settled_orders), sum(c.kept_orders), sum(c.good_orders)
  from counted_orders c cross join lateral (values (c.agent_id), (c.service_id)) s (subject)
  where s.subject is not null and c.settled_orders > 0 group by 1, 2;
create temporary table weights on commit drop as
  select subject, count(*) filter (where kept_orders > 0) as buyers, count(*) filter (where kept_orders > 1) as repeat_buyers,
         sum(reputation_weight(settled_orders)) as weight, sum(reputation_good(settled_orders, good_orders)) as good
  from subject_buyers group by subject;
update agent_figures f set buyers = w.buyers, repeat_buyers = w.repeat_buyers, score_weight = w.weight, score_good = w.good
  from weights w where w.subject = f.agent_id;
update services s set buyers = w.buyers, repeat_buyers = w.repeat_buyers, score_weight = w.weight, score_good = w.good
  from weights w where w.subject = s.id;

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
