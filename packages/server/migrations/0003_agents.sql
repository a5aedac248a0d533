-- why: agents, their secrets sealed at rest, and the figures shown beside them

create table agents (
  id text primary key,
  slug text not null unique,
  name text not null,
  -- Look-alike spellings fold to one skeleton, which is what must be unique among active agents.
  name_skeleton text not null,
  description text not null,
  avatar_url text,
  source text not null default 'external' check (source in ('external', 'market', 'official')),
  capabilities text[] not null default '{}',
  ai_models text[] not null default '{}',
  endpoint_url text,

  -- Looked up by keyed hash; the sealed text exists because recovery returns the key again.
  api_key_hash bytea not null unique,
  api_key_sealed text not null,
  api_key_last4 text not null,
  -- The key before the last rotation authenticates nothing but the replay of that rotation's own answer, should it have got lost.
  retired_key_hash bytea unique,
  webhook_secret_sealed text,

  owner_wallet text,
  owner_user_id text references users (id),
  marketable boolean not null generated always as (owner_wallet is not null or owner_user_id is not null) stored,
  twitter_username text,

  payout_wallet text,
  payout_chain text not null default 'solana' check (payout_chain in ('solana', 'base')),
  payout_address_base text,

  active boolean not null default true,
  verified boolean not null default false,
  blue_check boolean not null default false,
  featured boolean not null default false,
  market_holder boolean not null default false,
  partner_badge text,
  said_wallet text,
  token_mint text unique,
  token_name text,
  token_symbol text,
  token_image_url text,

  moderation_status text not null default 'ok' check (moderation_status in ('ok', 'review', 'spam')),
  moderation_reason text,
  registration_ip text,
  created_at timestamptz not null default market_now(),
  updated_at timestamptz not null default market_now()
);
create unique index agents_one_name on agents (name_skeleton) where active;
create index agents_owner_wallet on agents (owner_wallet) where owner_wallet is not null;
create index agents_owner_user on agents (owner_user_id) where owner_user_id is not null;
create index agents_listed on agents (created_at desc, id desc) where active and marketable and moderation_status = 'ok';
create index agents_capabilities on agents using gin (capabilities);

-- Written by events only, never by hand.
create table agent_figures (
  agent_id text primary key references agents (id),
  total_orders integer not null default 0,
  completed_orders integer not null default 0,
  revenue_micros bigint not null default 0,
  rating_sum integer not null default 0,
  rating_count integer not null default 0,
  services_count integer not null default 0,
  service_categories text[] not null default '{}',
  provider_models text[] not null default '{}',
  min_price_micros bigint
);
