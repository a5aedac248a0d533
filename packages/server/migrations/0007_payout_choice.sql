-- why: a payout leaves on another chain than the payment's only when the agent chose that and the marketplace's own money there covers it

-- A default is no choice: null until the agent makes one. `base` can only have been chosen; `solana` may have been the default.
alter table agents alter column payout_chain drop not null;
alter table agents alter column payout_chain drop default;
update agents set payout_chain = null where payout_chain = 'solana';

-- The float of a network: what of its treasury is owed to nobody else. Fees earned there, less what it lent to payouts that left here for
-- money that came in elsewhere, plus what it keeps of payouts that left elsewhere. Whoever reads it holds it until the transaction ends.
create function lock_ledger_float(p_network text) returns bigint language plpgsql volatile as
$$ begin
  perform pg_advisory_xact_lock(hashtextextended('ledger-float:' || p_network, 0));
  return (select coalesce(sum(balance_micros), 0)::bigint from ledger_accounts
          where kind in ('interchain', 'platform_fee') and owner = '' and network = p_network);
end $$;

-- Lending never touches money that is owed: the float of a network cannot be negative at commit.
create function require_network_float() returns trigger language plpgsql as
$$ begin
  if lock_ledger_float(new.network) < 0 then
    raise exception 'the marketplace owns too little on %', new.network using errcode = 'check_violation', constraint = 'ledger_float_covered';
  end if;
  return null;
end $$;
create constraint trigger ledger_accounts_float after update on ledger_accounts deferrable initially deferred
  for each row when (new.kind in ('interchain', 'platform_fee') and new.balance_micros < old.balance_micros)
  execute function require_network_float();

-- What was received and may still be taken back, or was: looked up before a network lends.
create index chain_receipts_unsettled on chain_receipts (network) where finality <> 'final';
