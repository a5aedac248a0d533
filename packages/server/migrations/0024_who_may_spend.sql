-- why: a transfer's reference is public, so a claim records how its payer was proven, and a bare claim can be contested for a while

-- payment: a signed standard payment · wallet: a credential of the payer · reference: the transfer names the purchase
-- bare: nothing but the public reference · operator: sent back by hand · earlier: claimed before this was recorded
alter table payment_claims
  add column proof text not null default 'earlier' check (proof in ('payment', 'wallet', 'reference', 'bare', 'operator', 'earlier')),
  -- Until then the price stays with us and the payer can move the transfer to a request of its own.
  add column contestable_until timestamptz,
  add constraint payment_claims_contestable check (contestable_until is null or proof = 'bare');
alter table payment_claims alter column proof drop default;
create index payment_claims_contested on payment_claims (contestable_until) where contestable_until is not null;

-- What a transfer says about itself: memos on Solana, bytes after the calldata of a direct USDC transfer on EVM networks.
alter table chain_receipts add column notes text[] not null default '{}';

-- Who held a claim before its payer moved it.
create table payment_claim_moves (
  caip2 text not null,
  reference text not null,
  number integer not null check (number > 0),
  from_purpose text not null,
  from_subject_id text not null,
  from_price_micros bigint not null,
  contestable_until timestamptz not null,
  to_purpose text not null,
  to_subject_id text not null,
  to_price_micros bigint not null,
  proof text not null check (proof in ('payment', 'wallet', 'reference')),
  claimed_at timestamptz not null,
  moved_at timestamptz not null default market_now(),
  primary key (caip2, reference, number),
  foreign key (caip2, reference) references payment_claims (caip2, reference)
);
create index payment_claim_moves_from on payment_claim_moves (from_subject_id);
create function refuse_claim_move_change() returns trigger language plpgsql as
$$ begin raise exception 'the history of a claim is append-only'; end $$;
create trigger payment_claim_moves_append_only before update or delete on payment_claim_moves
  for each row execute function refuse_claim_move_change();

-- Since when a service stands at its price: a bare transfer pays only for what was on offer when it was made.
alter table services add column offered_since timestamptz, add column previous_offered_since timestamptz;
update services set offered_since = coalesce(price_changed_at, created_at),
                    previous_offered_since = case when previous_price_micros is null then null else created_at end;
alter table services alter column offered_since set not null, alter column offered_since set default market_now();
create function date_service_offer() returns trigger language plpgsql as
$$ begin
  new.previous_offered_since := old.offered_since;
  new.offered_since := market_now();
  return new;
end $$;
create trigger services_date_offer before update on services for each row
  when (old.price_micros <> new.price_micros) execute function date_service_offer();

-- Looked up before a bare transfer counts.
create index agents_payout_wallet on agents (payout_wallet) where payout_wallet is not null;
create index agents_payout_address_base on agents (payout_address_base) where payout_address_base is not null;
create index user_wallets_address on user_wallets (address);
