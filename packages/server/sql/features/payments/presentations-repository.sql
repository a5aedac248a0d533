-- Generated from packages/server/src/features/payments/presentations-repository.ts by `npm run generate`. Do not edit.

-- endPresentation
update "bare_presentations"
set "ended_at" = market_now(), "ended_by" = $1
where "caip2" = $2 and "reference" = $3 and "subject_id" = $4 and "ended_at" is null
returning "answer_name";

-- hasOpenPresentation
select "reference"
from "bare_presentations"
where "caip2" = $1 and "reference" = $2 and "subject_id" = $3 and "ended_at" is null;

-- listAccountsOf
select "user_id"
from "user_wallets"
where "address" = $1;

-- notePresentation
insert into bare_presentations as p (caip2, reference, payer, subject_id)
values ($1, $2, $3, $4)
on conflict (caip2, reference) do update
set subject_id = excluded.subject_id, presented_at = market_now()
where p.subject_id is null and excluded.subject_id is not null
returning 1 as one;

-- notePresentationAnew
update "bare_presentations"
set "subject_id" = $1, "answer_name" = $2, "ended_at" = $3, "ended_by" = $4, "presented_at" = market_now()
where "caip2" = $5 and "reference" = $6;

-- noteStoredAnswer
update "bare_presentations"
set "answer_name" = $1
where "caip2" = $2 and "reference" = $3 and "subject_id" is not null;
