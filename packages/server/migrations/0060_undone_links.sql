-- why: a link that was undone does not come back by a claim of the identity provider, and a thief who unlinks a wallet does not silence it

create table undone_links (
  user_id text not null references users (id),
  chain text not null check (chain in ('solana', 'base')),
  address text not null,
  -- False: the wallet itself undid it.
  by_account boolean not null,
  undone_at timestamptz not null default market_now(),
  primary key (user_id, chain, address)
);
create index undone_links_address on undone_links (address) where by_account;
