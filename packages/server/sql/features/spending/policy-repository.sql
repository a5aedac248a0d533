-- Generated from packages/server/src/features/spending/policy-repository.ts by `npm run generate`. Do not edit.

-- lockPolicies
select p.*
from spend_policies p
where (p.subject_kind, p.subject_id) in (select kind, id from unnest($1::text[], $2::text[]) as s (kind, id))
order by p.subject_kind, p.subject_id for update;

-- readPolicies
select p.*
from spend_policies p
join unnest($1::text[], $2::text[]) as s (kind, id) on p.subject_kind = s.kind and p.subject_id = s.id;

-- readSubjects
with recursive given as ( select kind, id from unnest($1::text[], $2::text[]) as s (kind, id))
  , machines as ( select kind, id from given union select case when made.by like 'agent:%' then 'agent' else 'connection' end, substr(made.by, strpos(made.by, ':') + 1) from machines m join agents a on m.kind = 'agent' and a.id = m.id cross join lateral unnest(a.created_by) as made (by))
  , owners as ( select m.kind, m.id, o.account from machines m join agents a on m.kind = 'agent' and a.id = m.id cross join lateral (values ('user:' || a.owner_user_id), (case when a.owner_proven then 'wallet:' || a.owner_wallet end)) as o (account) where o.account is not null union all select m.kind, m.id, p.person from machines m join connected_programs p on m.kind = 'connection' and p.id = m.id)
  , users as ( select kind, id, substr(account, 6) as user_id from owners where account like 'user:%' union select o.kind, o.id, w.user_id from owners o join user_wallets w on o.account like 'wallet:%' and w.address = substr(o.account, 8))
  , accounts as materialized ( select kind, id, account from owners union select kind, id, 'user:' || user_id from users union select u.kind, u.id, 'wallet:' || w.address from users u join user_wallets w on w.user_id = u.user_id)
  , subjects as ( select m.kind, m.id, array(select o.account from owners o where o.kind = m.kind and o.id = m.id) as owners, array(select a.account from accounts a where a.kind = m.kind and a.id = m.id) as asked_of, not exists (select 1 from given g where g.kind = m.kind and g.id = m.id) as is_creator, case when m.kind = 'connection' then (select c.id from connections c where c.program_id = m.id order by c.created_at desc limit 1) end as shown_id from machines m union all select 'account', own.account, array[own.account], array(select distinct a.account from accounts a join accounts b using (kind, id) where b.account = own.account), false, null from (select distinct account from accounts) own) select s.kind
  , s.id
  , s.owners
  , s.asked_of as "askedOf"
  , s.is_creator as "isCreator"
  , s.shown_id as "shownId"
  , p.*
from subjects s
left
join spend_policies p on p.subject_kind = s.kind and p.subject_id = s.id;

-- writeDailyLimit
insert into spend_policies (subject_kind, subject_id, per_day_micros)
values ($1, $2, $3)
on conflict (subject_kind, subject_id) do update
set per_day_micros = excluded.per_day_micros, updated_at = market_now();
delete from spend_policies
where subject_kind = $1
  and subject_id = $2
  and not frozen
  and num_nonnulls(per_order_micros, per_day_micros, per_provider_day_micros, per_category_day_micros, approve_above_micros) = 0
  and cardinality(allow_agents || block_agents || allow_categories || block_categories) = 0;

-- writeFrozen
insert into spend_policies (subject_kind, subject_id, frozen)
values ($1, $2, $3)
on conflict (subject_kind, subject_id) do update
set frozen = excluded.frozen, updated_at = market_now();
delete from spend_policies
where subject_kind = $1
  and subject_id = $2
  and not frozen
  and num_nonnulls(per_order_micros, per_day_micros, per_provider_day_micros, per_category_day_micros, approve_above_micros) = 0
  and cardinality(allow_agents || block_agents || allow_categories || block_categories) = 0;
select p.*
from spend_policies p
join unnest($1::text[], $2::text[]) as s (kind, id) on p.subject_kind = s.kind and p.subject_id = s.id;

-- writePolicy
insert into "spend_policies" ("subject_kind", "subject_id", "allow_agents", "block_agents", "allow_categories", "block_categories", "updated_at")
values ($1, $2, $3, $4, $5, $6, market_now())
on conflict ("subject_kind", "subject_id") do update
set "allow_agents" = $7
  , "block_agents" = $8
  , "allow_categories" = $9
  , "block_categories" = $10
  , "updated_at" = market_now();
delete from spend_policies
where subject_kind = $1
  and subject_id = $2
  and not frozen
  and num_nonnulls(per_order_micros, per_day_micros, per_provider_day_micros, per_category_day_micros, approve_above_micros) = 0
  and cardinality(allow_agents || block_agents || allow_categories || block_categories) = 0;
select p.*
from spend_policies p
join unnest($1::text[], $2::text[]) as s (kind, id) on p.subject_kind = s.kind and p.subject_id = s.id;
