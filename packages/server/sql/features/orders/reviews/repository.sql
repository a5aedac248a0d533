-- Generated from packages/server/src/features/orders/reviews/repository.ts by `npm run generate`. Do not edit.

-- insertReview
insert into "reviews" ("id", "order_id", "service_id", "agent_id", "reviewer_id", "reviewer_name", "user_id", "rating", "comment", "created_at", "payment_network", "payment_reference", "paid_at", "onchain_tx_hash", "onchain_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
returning *;

-- listReviews
select *
from "reviews"
where (concat_ws('', id, order_id, service_id, reviewer_id, reviewer_name, comment, payment_reference, onchain_tx_hash) ilike $1)
  and "agent_id" = $2
order by created_at desc, id desc
limit $3 offset $4;
select count(*)::int as "count"
from "reviews"
where (concat_ws('', id, order_id, service_id, reviewer_id, reviewer_name, comment, payment_reference, onchain_tx_hash) ilike $1)
  and "agent_id" = $2;
