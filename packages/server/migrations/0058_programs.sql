-- why: limits and counts belong to a person and a program, agents remember what registered them, and approvals name who may decide

-- One person and one program, over all their connections. Never deleted: a limit outlives the connection that it was set for.
create table connected_programs (
  id text primary key check (id ~ '^prog_'),
  person text not null check (person ~ '^(user|wallet):.'),
  client_id text not null,
  created_at timestamptz(3) not null default market_now(),
  constraint connected_programs_once unique (person, client_id)
);
-- Whether anybody ever consented to this program.
create index connected_programs_of_client on connected_programs (client_id);

insert into connected_programs (id, person, client_id, created_at)
select 'prog_' || substr(min(id), 6), person, client_id, min(created_at) from connections group by person, client_id;

alter table connections add column program_id text references connected_programs (id);
update connections c set program_id = p.id from connected_programs p where p.person = c.person and p.client_id = c.client_id;
alter table connections alter column program_id set not null;
create index connections_of_program on connections (program_id, created_at desc);

-- What connections spent counts for their program from now on. One payment had one connection.
update spending_subjects s set subject_id = c.program_id from connections c where s.subject_kind = 'connection' and s.subject_id = c.id;

-- One policy per program: of its live connections the strictest of each limit; of ended ones the newest, unless a live one has none.
create temporary table program_policies on commit drop as
  select c.program_id, c.created_at, c.revoked_at is null and c.expires_at > clock_timestamp() as live, p.*
  from connections c join spend_policies p on p.subject_kind = 'connection' and p.subject_id = c.id;
delete from spend_policies where subject_kind = 'connection';
insert into spend_policies (subject_kind, subject_id, per_order_micros, per_day_micros, per_provider_day_micros, per_category_day_micros,
  allow_agents, block_agents, allow_categories, block_categories, approve_above_micros, frozen, updated_at)
select 'connection', n.program_id, l.per_order, l.per_day, l.per_provider, l.per_category,
  n.allow_agents, n.block_agents, n.allow_categories, n.block_categories, l.approve_above, l.frozen, n.updated_at
from (select distinct on (program_id) * from program_policies order by program_id, live desc, created_at desc) n
cross join lateral (
  select min(per_order_micros) as per_order, min(per_day_micros) as per_day, min(per_provider_day_micros) as per_provider,
         min(per_category_day_micros) as per_category, min(approve_above_micros) as approve_above, bool_or(frozen) as frozen
  from program_policies o where o.program_id = n.program_id and o.live = n.live and (o.live or o.created_at = n.created_at)) l
where n.live or not exists (
  select 1 from connections c where c.program_id = n.program_id and c.revoked_at is null and c.expires_at > clock_timestamp());

-- The key (`agent:<id>`) or program (`program:<id>`) that registered the agent: their policies hold for it, too.
alter table agents add column created_by text[] not null default '{}'
  constraint agents_created_by check (array_to_string(created_by, ' ') ~ '^((agent|program):[^ ]+( |$))*$');
-- The connection that registered it. The agent is deactivated with it, unless the person keeps the agent.
alter table agents add column stops_with text references connections (id) on delete set null;
create index agents_stops_with on agents (stops_with) where stops_with is not null;

-- Paid registrations under a policy say who made them. Nobody was told that such agents stop, so they do not.
update agents a set created_by = array[coalesce('program:' || c.program_id, s.principal)]
from spendings s left join connections c on s.principal = 'connection:' || c.id
where s.status = 'kept' and s.bought_kind = 'registration' and s.bought_id = a.id and (c.id is not null or s.principal like 'agent:%');

-- What they spent counts for what registered them, too.
insert into spending_subjects (spending_id, subject_kind, subject_id, created_at)
select x.spending_id, case when made.by like 'agent:%' then 'agent' else 'connection' end, substr(made.by, strpos(made.by, ':') + 1), x.created_at
from spending_subjects x join agents a on x.subject_kind = 'agent' and x.subject_id = a.id cross join lateral unnest(a.created_by) as made (by)
on conflict do nothing;

-- Who may decide: the owner of the policy that asks. `asked_of` also has linked accounts, which only see it.
alter table spend_approvals add column deciders text[] not null default '{}';
update spend_approvals p set deciders = case
  when p.status <> 'waiting' then p.asked_of
  when p.principal like 'connection:%' then array(select c.person from connections c where c.id = substr(p.principal, 12))
  else array(select o from agents a, unnest(array['user:' || a.owner_user_id, case when a.owner_proven then 'wallet:' || a.owner_wallet end]) o
             where a.id = substr(p.principal, 7) and o is not null) end;
update spend_approvals set deciders = asked_of where cardinality(deciders) = 0 or not deciders <@ asked_of;
alter table spend_approvals alter column deciders drop default;

-- Owners who limit one agent learn which of their agents have no policy.
with owned as (
  select coalesce('user:' || owner_user_id, 'wallet:' || owner_wallet) as owner, a.id, a.name,
         exists (select 1 from spend_policies p where p.subject_kind = 'agent' and p.subject_id = a.id) as limited
  from agents a where a.active and a.marketable and (a.owner_user_id is not null or a.owner_proven)),
concerned as (
  select owner, jsonb_agg(jsonb_build_object('id', id, 'name', name) order by name) filter (where not limited) as agents
  from owned group by owner having bool_or(limited) and not bool_and(limited)),
written as (
  insert into events (type, subject_id, data, context)
  select 'spending.agents_unlimited', owner, jsonb_build_object('agents', agents), jsonb_build_object('owner', owner, 'link', '/build/spending', 'name', '')
  from concerned returning id, subject_id),
addressed as (insert into event_readers (reader, event_id) select subject_id, id from written)
insert into event_queue (follower, event_id) select 'notifications', id from written;
