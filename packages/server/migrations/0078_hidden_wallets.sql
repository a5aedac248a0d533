-- why: an X handle shows on agents of shown wallets only, and names beside hidden wallets become short addresses

update agents a set twitter_shown = false
  where a.twitter_shown and a.owner_wallet is not null
    and not exists (select 1 from user_wallets l where l.address = a.owner_wallet and l.shown);

create temporary table beside_hidden on commit drop as
select o.id, left(coalesce(o.client_wallet, o.payer), 4) || '...' || right(coalesce(o.client_wallet, o.payer), 4) as name
from orders o join users u on u.id = o.user_id and u.closed_at is null
where o.client_agent_id is null and exists (
  select 1 from (values (o.client_wallet), (o.payer)) beside(address) where beside.address is not null
    and not exists (select 1 from user_wallets l where l.user_id = o.user_id and l.address = beside.address and l.shown));
update reviews r set reviewer_name = n.name, reviewer_id = n.name from beside_hidden n where n.id = r.order_id and r.reviewer_name <> n.name;
update order_messages m set sender_name = n.name, sender_id = case when m.sender_id = m.sender_name then n.name else m.sender_id end
from beside_hidden n where n.id = m.order_id and m.sender_type = 'client' and m.sender_name <> n.name;
