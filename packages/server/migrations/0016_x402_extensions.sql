-- why: registrations are bought like hires; a client may name its payment; what acts for the payer is told once

-- What a payment bought, whatever it is.
alter table machine_hires rename to x402_purchases;
alter table x402_purchases
  add column purpose text not null default 'x402' check (purpose in ('x402', 'registration')),
  add column payer text,
  -- When an answer with its secrets had left us. Afterwards they are given only to who shows to be the payer.
  add column told_at timestamptz(3);
update x402_purchases p set told_at = p.created_at, payer = c.payer from payment_claims c where c.caip2 = p.caip2 and c.reference = p.reference;
alter table x402_purchases alter column purpose drop default, alter column payer set not null;

-- The client's own name for its payment. One that failed took nothing, so its name is free again.
alter table x402_payments add column identifier text check (identifier ~ '^[a-zA-Z0-9_-]{16,128}$');
create unique index x402_payments_identifier on x402_payments (identifier, payer) where identifier is not null and state <> 'failed';
