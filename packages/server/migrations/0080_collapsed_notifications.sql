-- why: what strangers cause for free becomes one notification per recipient and kind while it is unread, instead of one each
alter table notifications
  -- Why it may stand for several. Null for one that stands alone.
  add column collapsed text check (collapsed in ('unpaid', 'claims', 'dust', 'refused', 'payers')),
  add column count integer not null default 1 check (count > 0),
  -- The latest events that it stands for, so that one which is handled again is not counted again.
  add column event_ids text[];
create unique index notifications_collapsed_unread
  on notifications (collapsed, type, coalesce(user_id, ''), coalesce(wallet, ''), coalesce(agent_id, ''))
  where collapsed is not null and read_at is null;
create index notifications_collapsed
  on notifications (collapsed, type, coalesce(user_id, ''), coalesce(wallet, ''), coalesce(agent_id, ''))
  where collapsed is not null;
