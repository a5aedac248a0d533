-- Generated from packages/server/src/features/orders/workspaces/repository.ts by `npm run generate`. Do not edit.

-- extendAnswerTimes
update "deliverables"
set "answer_by" = $1
where "is_request" = $2
  and "status" = $3
  and "answer_by" < $4
  and "order_id" in (select "orders"."id" from "orders" where "orders"."status" = $5)
returning "id", "order_id";

-- findOpenRequest
select *
from "deliverables"
where "order_id" = $1 and "is_request" = $2 and "status" in ($3, $4) and "id" = $5
order by "round"
limit $6;

-- findRequest
select *
from "deliverables"
where "order_id" = $1 and "is_request" = $2 and "id" = $3;

-- insertAnswers
insert into "deliverables" ("id", "order_id", "round", "position", "prompt", "url", "media_type", "content", "upload_id", "status", "error", "is_request", "answer_by", "created_at", "answered_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- insertRequest
insert into "deliverables" ("url", "media_type", "content", "upload_id", "error", "answered_at", "round", "is_request")
values ($1, $2, $3, $4, $5, $6, (select coalesce(max(round), 0) + 1 from deliverables where order_id = $7), $8)
returning *;

-- leavePending
update "deliverables"
set "status" = $1, "answer_by" = $2
where "id" = $3;

-- listAnswers
select *
from "deliverables"
where "order_id" = $1 and "round" in ($2) and "status" in ($3, $4)
order by "round", "position";

-- listEarlierRequests
select *
from "deliverables"
where "order_id" = $1 and "is_request" = $2 and "round" < $3
order by "round" desc
limit $4;

-- listOpenRequests
select *
from "deliverables"
where "order_id" = $1 and "is_request" = $2 and "status" in ($3, $4);

-- listRequests
select *
from "deliverables"
where "order_id" = $1 and "is_request" = $2 and (concat_ws('', id, prompt, error) ilike $3) and "status" = $4
order by round desc, id desc
limit $5 offset $6;
select count(*)::int as "count"
from "deliverables"
where "order_id" = $1 and "is_request" = $2 and (concat_ws('', id, prompt, error) ilike $3) and "status" = $4;

-- updateRequest
update "deliverables"
set "id" = $1
  , "order_id" = $2
  , "round" = $3
  , "position" = $4
  , "prompt" = $5
  , "url" = $6
  , "media_type" = $7
  , "content" = $8
  , "upload_id" = $9
  , "status" = $10
  , "error" = $11
  , "is_request" = $12
  , "answer_by" = $13
  , "created_at" = $14
  , "answered_at" = $15
where "id" = $16;
