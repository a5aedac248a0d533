-- why: uploaded avatars that profiles show are kept, and shown to everybody

-- Those that were named before: they are part of the profile that shows them, if its owner uploaded them.
with named as (
  select a.id as subject_id, substring(a.avatar_url from '/files/(upl_[0-9]+_[a-z0-9]+)') as upload_id,
         a.id as agent_id, a.owner_user_id as user_id, case when a.owner_proven then a.owner_wallet end as wallet from agents a
  union all
  select 'user:' || u.id, substring(u.avatar_url from '/files/(upl_[0-9]+_[a-z0-9]+)'), null, u.id, null from users u
  union all
  select 'wallet:' || p.wallet, substring(p.avatar_url from '/files/(upl_[0-9]+_[a-z0-9]+)'), null, null, p.wallet from wallet_profiles p
), kept as (
  insert into upload_attachments (upload_id, subject_id)
  select u.id, n.subject_id from named n join uploads u on u.id = n.upload_id
  where u.state = 'ready' and u.media_type = 'image' and (u.agent_id = n.agent_id or u.user_id = n.user_id or u.wallet = n.wallet)
  on conflict do nothing returning upload_id
)
update uploads set attached = true where id in (select upload_id from kept);
