-- Generated from packages/server/src/features/tokens/swap/repository.ts by `npm run generate`. Do not edit.

-- endSwap
update "swap_orders"
set
where "id" = $1 and "state" = $2;

-- findSwap
select *
from "swap_orders"
where "id" = $1 and "user_id" = $2;

-- forgetQuotes
delete from swap_orders
where id in ( select id from swap_orders where expires_at < market_now() - case state when 'quoted' then interval '1 day' else interval '30 days' end limit $1);

-- insertSwap
insert into "swap_orders" ("id", "user_id", "taker", "receiver", "amount_micros", "out_lamports", "least_lamports", "venue_request", "message_hash", "signed_transaction", "state", "signature", "reason", "created_at", "expires_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- listLanded
select id, signature, expires_at < market_now() - interval '5 minutes' as "isDead"
from swap_orders
where state = 'executing' and signature is not null
order by expires_at
limit $1;

-- startSwap
update "swap_orders"
set "state" = $1, "signed_transaction" = $2
where "id" = $3 and "state" = $4 and expires_at > market_now();
