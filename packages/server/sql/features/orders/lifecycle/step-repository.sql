-- Generated from packages/server/src/features/orders/lifecycle/step-repository.ts by `npm run generate`. Do not edit.

-- extendOrderRows
with open as ( select id, status = 'delivered' and review_deadline < $1 as review, status = 'revision_requested' and revision_deadline < $2 as revision, status = 'in_progress' and workspace_ends_at < $3 as workspace, status in ('paid', 'in_progress') and overdue_since is null and delivery_deadline < $4 as delivery, status in ('paid', 'in_progress') and overdue_since is null and due_at > $5 and due_at < $6 as promise from orders where status in ('paid', 'in_progress', 'delivered', 'revision_requested')) update orders o
set updated_at = market_now()
  , review_deadline = case
  when open.review then $7 else review_deadline end
  , revision_deadline = case
  when open.revision then $8 else revision_deadline end
  , workspace_ends_at = case
  when open.workspace then $9 else workspace_ends_at end
  , due_at = case
  when open.promise then $10 else due_at end
  , delivery_deadline = case
  when open.promise then greatest(delivery_deadline, $11)
  when open.delivery then $12 else delivery_deadline end
from open
where o.id = open.id and (open.review or open.revision or open.workspace or open.delivery or open.promise)
returning o.id
  , o.status
  , o.due_at as "dueAt"
  , o.delivery_deadline as "deliveryDeadline"
  , o.review_deadline as "reviewDeadline"
  , o.revision_deadline as "revisionDeadline"
  , o.workspace_ends_at as "workspaceEndsAt";

-- insertNewOrder
with begun as (insert into orders () select from json_populate_recordset(null::orders, $1::json)) insert into order_steps (order_id, command, to_status, actor_role, actor, note, at, number) select order_id
  , command
  , to_status
  , actor_role
  , actor
  , note
  , market_now()
  , 1
from json_to_recordset($2::json) as s (order_id text, command text, to_status text, actor_role text, actor text, note text);

-- insertStepRow
insert into order_steps (order_id, command, from_status, to_status, actor_role, actor, note, at, number) select $1
  , $2
  , $3
  , $4
  , $5
  , $6
  , $7
  , coalesce($8, market_now())
  , coalesce(max(number), 0) + 1
from order_steps
where order_id = $1;

-- updateOrderRow
with changed as (update orders set status = $3, updated_at = $4 where id = $1 and status = $2 returning 1) select 1 / count(*) as changed
from changed;
