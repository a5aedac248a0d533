-- why: the price of before an edit was the price of the terms of before it: it buys those, so a payer who was already on the way is not refused

-- The terms beside the previous price. Without them a previous price would buy today's work: forget it, it lives for ten minutes only.
alter table services add column previous_turnaround_hours integer, add column previous_max_revisions integer, add column previous_quota_limit integer;
update services set previous_price_micros = null where previous_price_micros is not null;
drop trigger services_terms_changed on services;
drop function forget_service_price();
create or replace function remember_service_price() returns trigger language plpgsql as
$$ begin
  new.previous_price_micros := old.price_micros;
  new.previous_turnaround_hours := old.turnaround_hours;
  new.previous_max_revisions := old.max_revisions;
  new.previous_quota_limit := old.quota_limit;
  new.price_changed_at := market_now();
  return new;
end $$;

comment on table addressed_signatures is
  'Signatures that stood in an address, by their own bytes; of a contract wallet its address and the time of signing as well. Kept for as long as a signature is good. They read and act on orders; they spend, move, grant and recover nothing.';
