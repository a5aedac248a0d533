-- why: the price of before an edit was the price of the terms of before it, and must not buy more work

-- Runs after `services_remember_price`: triggers of one moment run by name.
create function forget_service_price() returns trigger language plpgsql as
$$ begin
  new.previous_price_micros := null;
  return new;
end $$;
create trigger services_terms_changed before update on services for each row
  when (old.quota_limit is distinct from new.quota_limit or old.max_revisions is distinct from new.max_revisions
     or old.turnaround_hours is distinct from new.turnaround_hours) execute function forget_service_price();
