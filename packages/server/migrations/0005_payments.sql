-- why: money in: what the chains showed us, and the one table in which a transfer is claimed for exactly one purpose

-- Transfers that reached a treasury. `gone` is one that a reorganisation took back.
create table chain_receipts (
  caip2 text not null,
  reference text not null,
  network text not null,
  payer text not null,
  received_micros bigint not null check (received_micros > 0),
  block_number bigint not null,
  block_time timestamptz not null,
  finality text not null check (finality in ('seen', 'confirmed', 'final', 'gone')),
  recorded_at timestamptz not null default market_now(),
  checked_at timestamptz not null default market_now(),
  primary key (caip2, reference),
  -- One spelling per transfer, or one transfer could be spent once per spelling.
  constraint chain_receipts_canonical check (
    case when caip2 like 'eip155:%' then reference ~ '^0x[0-9a-f]{64}$'
         else reference ~ '^[1-9A-HJ-NP-Za-km-z]{64,88}$' end)
);
create index chain_receipts_open on chain_receipts (checked_at) where finality in ('seen', 'confirmed');

-- The primary key is the promise: one transfer serves one purpose, whatever the flow.
create table payment_claims (
  caip2 text not null,
  reference text not null,
  purpose text not null check (purpose in ('order', 'x402', 'registration', 'bounty', 'earn', 'wallet_funding', 'refund')),
  subject_id text not null,
  payer text not null,
  amount_micros bigint not null check (amount_micros > 0),
  price_micros bigint not null check (price_micros >= 0 and price_micros <= amount_micros),
  claimed_at timestamptz not null default market_now(),
  primary key (caip2, reference),
  foreign key (caip2, reference) references chain_receipts (caip2, reference)
);
create index payment_claims_subject on payment_claims (subject_id);

-- Other names of the same transfer: the nonce of an EIP-3009 authorisation, the hash of a Solana message. A transfer that is
-- claimed before it has a reference is claimed by one of these.
create table payment_aliases (
  caip2 text not null,
  alias text not null,
  reference text,
  subject_id text not null,
  claimed_at timestamptz not null default market_now(),
  primary key (caip2, alias)
);

-- How far the watcher has read each treasury's history.
create table chain_cursors (
  caip2 text primary key,
  cursor text,
  updated_at timestamptz not null default market_now()
);
