-- why: the price of before an edit was the price of the terms of before it: it buys those, so a payer who was already on the way is not refused

-- What the previous price was for. Without it a previous price would buy today's work: forget it, it lives for ten minutes only.
alter table services add column previous_terms jsonb;
update services set previous_price_micros = null where previous_price_micros is not null;
drop trigger services_terms_changed on services;
drop function forget_service_price();
create or replace function remember_service_price() returns trigger language plpgsql as
$$ begin
  new.previous_price_micros := old.price_micros;
  new.previous_terms := jsonb_build_object('priceType', old.price_type, 'title', old.title, 'category', old.category,
    'turnaroundHours', old.turnaround_hours, 'maxRevisions', old.max_revisions, 'quotaLimit', old.quota_limit);
  new.price_changed_at := market_now();
  return new;
end $$;

-- A price of another kind is another offer: nobody could pay the price of a quote.
drop trigger services_remember_price on services;
create trigger services_remember_price before update on services for each row
  when (old.price_micros <> new.price_micros or old.price_type <> new.price_type) execute function remember_service_price();

-- A longer time was quoted in place of a shorter one. Paying does not agree to it; accepting does.
alter table orders add column quote_lengthened boolean not null default false;

comment on table addressed_signatures is
  'Signatures that stood in an address, by their own bytes; nonces of signed messages; of a contract wallet its address and the time of signing. Kept for as long as a signature is good. They read and act on orders; they spend, move, grant, recover and set no terms.';
