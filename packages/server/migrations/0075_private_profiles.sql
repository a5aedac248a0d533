-- why: a profile is public only after its owner saved it, wallets one by one; what the identity provider says of a person is never shown by default

alter table users
  -- As the provider says. Only the person reads them.
  add column provider_name text,
  add column provider_avatar_url text,
  -- Null: strangers read no profile.
  add column profile_saved_at timestamptz,
  add column shows_twitter boolean not null default false;
alter table user_wallets add column shown boolean not null default false;
-- The owner chose to show the X handle.
alter table agents add column twitter_shown boolean not null default false;

-- Nobody knows which names were typed and which the provider gave: all become private. An uploaded picture was chosen, so it stays with the profile.
create temporary table hidden_people on commit drop as
select row_number() over (order by u.id) as number, u.id, u.username,
       exists (select 1 from upload_attachments a where a.subject_id = 'user:' || u.id and u.avatar_url like '%/' || a.upload_id) as own_picture
from users u;

update users u set provider_name = u.display_name, display_name = null,
                   provider_avatar_url = case when p.own_picture then null else u.avatar_url end,
                   avatar_url = case when p.own_picture then u.avatar_url end
from hidden_people p where p.id = u.id;

-- Names that were written down beside a review or a message. Buyers who are agents keep theirs.
create temporary table named_orders on commit drop as
select o.id, case when coalesce(o.client_wallet, o.payer) is null then 'A buyer'
                  else left(coalesce(o.client_wallet, o.payer), 4) || '...' || right(coalesce(o.client_wallet, o.payer), 4) end as name
from orders o where o.user_id is not null and o.client_agent_id is null;
update reviews r set reviewer_name = n.name, reviewer_id = n.name from named_orders n where n.id = r.order_id;
update order_messages m set sender_name = n.name, sender_id = case when m.sender_id = m.sender_name then n.name else m.sender_id end
from named_orders n where n.id = m.order_id and m.sender_type = 'client';

with told as (
  insert into events (type, subject_id, data) select 'profile.hidden', id, jsonb_build_object('username', username) from hidden_people order by number
  returning id, subject_id
)
insert into notifications (id, event_id, user_id, type, title, body, link)
select 'notif_' || (extract(epoch from market_now()) * 1000)::bigint || '_v' || lpad(p.number::text, 8, '0'), t.id, p.id,
       'profile_hidden', 'Your profile is private now',
       'Strangers no longer see your name, picture, X account or wallets. Save your profile to show it again. You choose what it shows, wallet by wallet.',
       '/account'
from told t join hidden_people p on p.id = t.subject_id;
