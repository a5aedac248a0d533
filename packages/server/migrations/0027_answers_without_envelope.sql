-- why: answers kept under an Idempotency-Key no longer belong to one transport: no HTTP status, no envelope. `status` marks older rows and is null in new ones.

alter table idempotency_keys drop constraint idempotency_keys_check;
alter table idempotency_keys add constraint idempotency_keys_status_with_answer check (status is null or sealed_answer is not null);
