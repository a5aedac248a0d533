-- why: people connect programs to the marketplace through OAuth, choose what each may do, and disconnect them again

-- A grant of the authorization server: one person, one program. Its tokens are good only while this row is.
create table connections (
  id text primary key check (id ~ '^conn_'),
  person text not null check (person ~ '^(user|wallet):.'),
  -- Of a wallet: its kind of chain and, for a contract wallet, where it was proven (as in sessions).
  wallet_chain text check (wallet_chain in ('solana', 'base')),
  proven_on text[],
  client_id text not null check (length(client_id) between 1 and 2048),
  -- The program's own words.
  client_name text not null check (length(client_name) between 1 and 400),
  client_uri text,
  redirect_host text not null,
  scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'hire', 'work', 'money', 'custody']),
  agent_id text references agents (id),
  created_at timestamptz(3) not null default market_now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  -- By real time, as its tokens are. After it the program must ask again.
  expires_at timestamptz not null,
  constraint connections_of_wallet check ((person like 'wallet:%') = (wallet_chain is not null))
);
create index connections_of_person on connections (person, created_at desc, id desc) where revoked_at is null;
create index connections_of_client on connections (client_id);
create index connections_expiry on connections (expires_at);

-- Programs that registered themselves. Those that nobody connects are removed after a day.
create table oauth_clients (
  id text primary key,
  metadata jsonb not null,
  registered_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
create index oauth_clients_expiry on oauth_clients (expires_at);

-- Codes, refresh tokens and consents under way: found by keyed hash, sealed, dated by real time.
create table oauth_records (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  lookup_hash bytea not null unique,
  sealed text not null,
  connection_id text,
  consumed_at timestamptz,
  expires_at timestamptz not null
);
create index oauth_records_of_connection on oauth_records (connection_id) where connection_id is not null;
create index oauth_records_expiry on oauth_records (expires_at);

-- The key that signs access tokens: made once per deployment.
create table oauth_signing_keys (
  id text primary key,
  sealed_key text not null,
  created_at timestamptz not null default clock_timestamp()
);
