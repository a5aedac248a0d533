-- why: buyers publish reviews in an ERC-8004 Reputation Registry from their own wallets; what they publish is stored and fixed first

-- One row per file that a buyer prepared. The hash is on chain, so neither the file nor what it was made for ever changes.
create table onchain_feedback (
  -- keccak256 of the file's bytes.
  file_hash text primary key check (file_hash ~ '^0x[0-9a-f]{64}$'),
  file text not null,
  uri text not null unique,
  review_id text not null references reviews (id),
  order_id text not null references orders (id),
  agent_id text not null references agents (id),
  -- CAIP-10: eip155:<chain id>:<contract>
  registry text not null,
  agent_registry text not null,
  onchain_id text not null check (onchain_id ~ '^[0-9]{1,78}$'),
  -- The buyer's wallet that must send it.
  client_wallet text not null,
  value integer not null check (value between 0 and 100),
  -- `sent`: in a block that is not final yet. A reorganisation brings it back to `prepared`.
  state text not null default 'prepared' check (state in ('prepared', 'sent', 'published')),
  tx_hash text check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  -- Number of this feedback among those that the wallet gave the agent.
  feedback_index bigint check (feedback_index > 0),
  created_at timestamptz not null default market_now(),
  sent_at timestamptz,
  published_at timestamptz,
  constraint onchain_feedback_sent check ((state = 'prepared') = (tx_hash is null) and (tx_hash is null) = (sent_at is null)),
  constraint onchain_feedback_published check (
    (state = 'published') = (published_at is not null) and (state = 'published') = (feedback_index is not null))
);
-- A review is published once; a buyer may prepare it for several wallets.
create unique index onchain_feedback_one on onchain_feedback (review_id) where state in ('sent', 'published');
create index onchain_feedback_of_review on onchain_feedback (review_id);

create function keep_onchain_feedback() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (old.file_hash, old.file, old.uri, old.review_id, old.order_id, old.agent_id, old.registry, old.agent_registry,
      old.onchain_id, old.client_wallet, old.value) is distinct from (new.file_hash, new.file, new.uri, new.review_id, new.order_id,
      new.agent_id, new.registry, new.agent_registry, new.onchain_id, new.client_wallet, new.value)
      or old.state = 'published' then
    raise exception 'what is published on chain is fixed';
  end if;
  return new;
end $$;
create trigger keep_onchain_feedback before update or delete on onchain_feedback for each row execute function keep_onchain_feedback();

-- On the review's own row, because the public lists of reviews show both.
alter table reviews
  add column onchain_tx_hash text,
  add column onchain_at timestamptz,
  add constraint reviews_whole_onchain check ((onchain_tx_hash is null) = (onchain_at is null));
