-- why: what agents offer, kept in a shape that a search over a million of them reads from an index

-- Words as a reader sees them. Left alone, the parser keeps web addresses, paths, hyphenated words and mark-up together,
-- and `banner` would not find `logo/banner`. Queries are split at all punctuation.
create function spaced_words(p_text text) returns text language sql immutable parallel safe as
$$ select translate(p_text, './@:-_+~<>&%', '            ') $$;

create table services (
  id text primary key,
  agent_id text not null references agents (id),
  slug text not null,
  category text not null check (category in ('image_gen', 'video_gen', 'ugc', 'influencer', 'brand_content', 'coding', 'analytics', 'seo',
                                             'trading', 'automation', 'consulting', 'custom')),
  title text not null,
  description text not null,
  price_micros bigint not null check (price_micros between 0 and 1000000000000),
  price_type text not null check (price_type in ('fixed', 'quote', 'weekly', 'monthly')),
  turnaround_hours integer not null check (turnaround_hours between 1 and 8760),
  deliverables text[] not null default '{}',
  demo_url text,
  active boolean not null default true,
  quota_limit integer not null default 0 check (quota_limit between 0 and 100000),
  max_revisions integer not null default 3 check (max_revisions between 0 and 10),
  requirement_fields jsonb,
  brief_placeholder text,
  review_summary text,
  provider_model text,
  moderation_status text not null default 'ok' check (moderation_status in ('ok', 'review', 'spam')),
  moderation_reason text,

  -- Figures, written by events only.
  total_orders integer not null default 0,
  completed_orders integer not null default 0,
  rating_sum integer not null default 0,
  rating_count integer not null default 0,
  rating float8 not null generated always as (case when rating_count = 0 then 0 else rating_sum::float8 / rating_count end) stored,

  -- What search needs to know of the agent; the triggers below keep it true.
  agent_name text not null default '',
  agent_listed boolean not null default false,
  listed boolean not null generated always as (active and moderation_status = 'ok' and agent_listed) stored,
  search tsvector not null generated always as (
    setweight(to_tsvector('simple', spaced_words(title)), 'A') ||
    setweight(to_tsvector('simple', spaced_words(agent_name)), 'B') ||
    setweight(to_tsvector('simple', spaced_words(description)), 'C')) stored,

  -- Milliseconds, so that a cursor holds the exact value.
  created_at timestamptz(3) not null default market_now(),
  updated_at timestamptz(3) not null default market_now(),
  constraint services_one_slug unique (agent_id, slug),
  constraint services_priced check (price_type = 'quote' or price_micros >= 10000)
);

-- One pair of indexes per order, with and without a category. The last columns are for filters, which are then judged without reading the row.
create index services_popular on services (completed_orders, rating, id, price_type, price_micros) where listed;
create index services_newest on services (created_at, id, price_type, price_micros) where listed;
create index services_cheapest on services (price_micros, id, price_type) where listed;
create index services_rating on services (rating, rating_count, id, price_type, price_micros) where listed;
create index services_fastest on services (turnaround_hours, id, price_type, price_micros) where listed;
create index services_category_popular on services (category, completed_orders, rating, id, price_type, price_micros) where listed;
create index services_category_newest on services (category, created_at, id, price_type, price_micros) where listed;
create index services_category_cheapest on services (category, price_micros, id, price_type) where listed;
create index services_category_rating on services (category, rating, rating_count, id, price_type, price_micros) where listed;
create index services_category_fastest on services (category, turnaround_hours, id, price_type, price_micros) where listed;
create index services_model on services (provider_model, created_at, id) where listed and provider_model is not null;
create index services_of_agent on services (agent_id, created_at, id);
create index services_words on services using gin (search) where listed;

create function is_agent_listed(p_agent agents) returns boolean language sql immutable as
$$ select p_agent.active and (p_agent.owner_wallet is not null or p_agent.owner_user_id is not null) and p_agent.moderation_status = 'ok' $$;

-- The share lock makes a change of the agent wait for this service to be there, or this service see the change.
create function fill_service_agent() returns trigger language plpgsql as
$$ begin
  select a.name, is_agent_listed(a) into new.agent_name, new.agent_listed from agents a where a.id = new.agent_id for share;
  return new;
end $$;
create trigger services_fill_agent before insert on services for each row execute function fill_service_agent();

create function spread_agent_to_services() returns trigger language plpgsql as
$$ begin
  update services set agent_name = new.name, agent_listed = is_agent_listed(new) where agent_id = new.id;
  return null;
end $$;
create trigger agents_spread_to_services after update on agents for each row
  when (old.name is distinct from new.name or is_agent_listed(old) is distinct from is_agent_listed(new))
  execute function spread_agent_to_services();
