-- why: a bare presentation of a transfer is announced to its payer once, and its first presenter is remembered so that a proof can end all it got.

-- One row per transfer that was presented without proof of the payer.
create table bare_presentations (
  caip2 text not null,
  reference text not null,
  payer text not null,
  -- What it bought; null where the presentation was refused.
  subject_id text,
  -- Scope and Idempotency-Key under which the answer to the first presenter is stored.
  answer_name text,
  presented_at timestamptz(3) not null default market_now(),
  -- Since then the first presenter has nothing any more (`proof`), or the payer vouched for it in one request (`vouched`).
  ended_at timestamptz(3),
  ended_by text check (ended_by in ('proof', 'vouched')),
  primary key (caip2, reference),
  constraint bare_presentations_ended check ((ended_at is null) = (ended_by is null)),
  constraint bare_presentations_bought check (subject_id is not null or (answer_name is null and ended_at is null))
);
create index bare_presentations_subject on bare_presentations (subject_id) where subject_id is not null;

-- Bare purchases of before. The payer was not told of them; a notice months later would only confuse.
insert into bare_presentations (caip2, reference, payer, subject_id, presented_at)
select caip2, reference, payer, subject_id, claimed_at from payment_claims where proof = 'bare' and purpose in ('x402', 'registration');

-- A proof releases what the first presenter's policy counted.
create index spendings_bought on spendings (bought_id) where status = 'kept';
