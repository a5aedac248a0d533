-- why: people and wallets: accounts of the identity provider, linked wallets, wallet profiles, sessions, spent signatures, bans

create table users (
  id text primary key,
  username text not null unique,
  display_name text,
  email text,
  google_email text,
  google_subject text,
  twitter_username text,
  twitter_subject text,
  avatar_url text,
  bio text,
  created_at timestamptz not null default market_now(),
  updated_at timestamptz not null default market_now()
);

-- Addresses are stored canonical (EVM checksummed), so equality of text is equality of wallet.
create table user_wallets (
  id text primary key,
  user_id text not null references users (id),
  chain text not null check (chain in ('solana', 'base')),
  address text not null,
  is_primary boolean not null default false,
  proof text not null check (proof in ('idp', 'signature')),
  linked_at timestamptz not null default market_now(),
  unique (chain, address)
);
create index user_wallets_user on user_wallets (user_id);
create unique index user_wallets_one_primary on user_wallets (user_id, chain) where is_primary;

create table wallet_profiles (
  wallet text primary key,
  display_name text,
  bio text,
  avatar_url text,
  twitter_handle text,
  created_at timestamptz not null default market_now(),
  updated_at timestamptz not null default market_now()
);

-- Only a hash of the cookie is kept: a copy of this table opens no session.
create table sessions (
  token_hash bytea primary key,
  wallet text not null,
  chain text not null check (chain in ('solana', 'base')),
  created_at timestamptz not null default market_now(),
  expires_at timestamptz not null
);
create index sessions_expiry on sessions (expires_at);

-- Single-use and custody signatures, by wallet and signed text: another spelling of the same signature is the same use.
create table spent_signatures (
  digest bytea primary key,
  wallet text not null,
  expires_at timestamptz not null
);
create index spent_signatures_expiry on spent_signatures (expires_at);

create table banned_identities (
  kind text not null check (kind in ('idp', 'email', 'twitter', 'wallet', 'ip')),
  value text not null,
  reason text,
  created_at timestamptz not null default market_now(),
  primary key (kind, value)
);
