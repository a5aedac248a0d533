-- Generated from packages/server/src/features/onchain/feedback/repository.ts by `npm run generate`. Do not edit.

-- findFeedback
select *
from "onchain_feedback"
where "file_hash" = $1;

-- findFile
select "f"."file", "a"."moderation_status"
from "onchain_feedback" as "f"
inner
join "agents" as "a" on "a"."id" = "f"."agent_id"
where "f"."file_hash" = $1 and "f"."file" != $2;

-- insertFeedback
insert into "onchain_feedback" ("tx_hash", "feedback_index", "sent_at", "published_at")
values ($1, $2, $3, $4)
on conflict ("file_hash") do nothing;
select *
from "onchain_feedback"
where "file_hash" = $1;

-- listFeedback
select *
from "onchain_feedback"
where "review_id" = $1
order by "created_at" desc;

-- lockFeedback
select "id"
from "reviews"
where "id" = $1 for update;
select *
from "onchain_feedback"
where "review_id" = $1
order by "created_at" desc;

-- markPublished
update "onchain_feedback"
set "state" = $1, "feedback_index" = $2, "published_at" = $3
where "file_hash" = $4 and "state" = $5 and "tx_hash" = $6;
update "reviews"
set "onchain_tx_hash" = $1, "onchain_at" = $2
where "id" = $3;

-- markSent
update "onchain_feedback"
set "state" = $1, "tx_hash" = $2, "sent_at" = $3
where "file_hash" = $4 and "state" = $5;

-- markUnsent
update "onchain_feedback"
set "state" = $1, "tx_hash" = $2, "sent_at" = $3
where "file_hash" = $4 and "state" = $5 and "tx_hash" = $6;
