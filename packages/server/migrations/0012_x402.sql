-- why: hires paid over HTTP by programs without an account, in both flavours of x402, each payment buying one thing once

-- A price just changed is still honoured for who was shown the old one.
alter table services add column previous_price_micros bigint, add column price_changed_at timestamptz;
create function remember_service_price() returns trigger language plpgsql as
$$ begin
  new.previous_price_micros := old.price_micros;
  new.price_changed_at := market_now();
  return new;
end $$;
create trigger services_remember_price before update on services for each row
  when (old.price_micros <> new.price_micros) execute function remember_service_price();

-- Moves with every change of a service, the standing and the name of its agent included: what is made of many services is kept until it does.
create sequence service_changes;
alter table services add column change_number bigint not null default nextval('service_changes');
create function number_service_change() returns trigger language plpgsql as
$$ begin
  new.change_number := nextval('service_changes');
  return new;
end $$;
create trigger services_number_change before update on services for each row execute function number_service_change();
create index services_change_number on services (change_number desc);

-- What counts as demand: paid for, kept, and not by the provider's own people.
create index orders_in_demand on orders (paid_at)
  where paid_micros > 0 and not related_party and status <> 'cancelled' and service_id is not null;

-- A standard payment between its signature and its landing. The alias, the payment's one name whatever its envelope, is claimed in
-- `payment_aliases` before anything is broadcast.
create table x402_payments (
  caip2 text not null,
  alias text not null,
  network text not null,
  -- settling: somebody works on it · unknown: perhaps on chain · settled: bought its thing · failed: nothing was taken
  state text not null default 'settling' check (state in ('settling', 'unknown', 'settled', 'failed')),
  purpose text not null check (purpose in ('x402', 'registration')),
  -- The order or agent it buys; named before it exists.
  subject_id text not null,
  fingerprint bytea not null,
  -- What was asked for, complete, so that it can be made after a crash.
  request jsonb not null,
  version integer not null check (version between 1 and 2),
  payload jsonb not null,
  requirement jsonb not null,
  amount_micros bigint not null check (amount_micros > 0),
  payer text not null,
  -- Signed by us and kept before it is sent, so that nothing else is ever sent for this payment.
  transaction text,
  signed_bytes text,
  reason text,
  created_at timestamptz(3) not null default market_now(),
  updated_at timestamptz(3) not null default market_now(),
  primary key (caip2, alias),
  foreign key (caip2, alias) references payment_aliases (caip2, alias),
  check ((transaction is null) or state <> 'failed')
);
create index x402_payments_alias on x402_payments (alias);
create index x402_payments_open on x402_payments (updated_at) where state in ('settling', 'unknown');

-- What a payment bought, and the answer that was given for it: the same request with the same payment gets it again.
create table machine_hires (
  caip2 text not null,
  reference text not null,
  subject_id text not null unique,
  fingerprint bytea not null,
  -- Holds the read token, so it is sealed.
  sealed_answer text not null,
  created_at timestamptz(3) not null default market_now(),
  primary key (caip2, reference),
  foreign key (caip2, reference) references payment_claims (caip2, reference)
);

-- Reads and steers one order without a wallet. Only a hash is kept.
create table order_tokens (
  token_hash bytea primary key,
  order_id text not null references orders (id),
  created_at timestamptz not null default market_now()
);
create index order_tokens_order on order_tokens (order_id);
