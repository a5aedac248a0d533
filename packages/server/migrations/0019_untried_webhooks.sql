-- why: what waits for its first attempt is read without its counters; only what was never tried may wait for one
alter table webhook_queue add constraint webhook_queue_untried check (next_at is not null or attempts = 0);
