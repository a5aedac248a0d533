-- Generated from packages/server/src/features/orders/messages/repository.ts by `npm run generate`. Do not edit.

-- advanceMarker
insert into message_reads as r (order_id, side, last_number) select $1, $2, least($3::int, coalesce(max(number), 0))
from order_messages
where order_id = $4
on conflict (order_id, side) do update
set last_number = excluded.last_number, read_at = market_now()
where excluded.last_number > r.last_number
returning last_number as "lastNumber";
select "side", "last_number"
from "message_reads"
where "order_id" = $1;

-- insertMessage
insert into "order_messages" ("id", "order_id", "number", "sender_type", "sender_id", "sender_name", "user_id", "content", "created_at")
values ($1, $2, (select coalesce(max(number), 0) + 1 from order_messages where order_id = $3), $4, $5, $6, $7, $8, $9)
returning *;

-- listMessages
select *
from "order_messages"
where "order_id" = $1
  and "number" > $2
  and (concat_ws('', id, sender_id, sender_name, case when sender_type = $3::text then '' else content end) ilike $4)
order by "number" desc
limit $5 offset $6;
select count(*)::int as "count"
from "order_messages"
where "order_id" = $1
  and "number" > $2
  and (concat_ws('', id, sender_id, sender_name, case when sender_type = $3::text then '' else content end) ilike $4);

-- readMarkers
select "side", "last_number"
from "message_reads"
where "order_id" = $1;
