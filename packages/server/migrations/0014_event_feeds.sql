-- why: an agent reads its events by a number without gaps, everybody else by the order of transactions; both can resume without loss.

-- One counter per feed. Its row is locked until the transaction ends, so that numbers follow the order of commits.
create table event_counters (
  reader text primary key,
  last_seq bigint not null
);

-- The number in the feed of the agent the event concerns.
alter table events add column agent_seq bigint;

-- Who may read an event: `agent:…`, `user:…`, `wallet:…` or `order:…`. Only feeds of agents have numbers; in the others the place of
-- an event is its transaction and its id. A transaction below the oldest one still running can have no more events, so a
-- reader who stays below that skips nothing that commits late.
create table event_readers (
  reader text not null,
  xid xid8 not null default pg_current_xact_id(),
  event_id bigint not null references events (id) on delete cascade,
  seq bigint,
  primary key (reader, xid, event_id),
  check ((seq is not null) = (reader like 'agent:%'))
);

-- Events of before belong to this very transaction; among themselves they stay in the order of their ids.
insert into event_readers (reader, event_id, seq)
select reader, id, case when reader like 'agent:%' then row_number() over (partition by reader order by id) end
from (
  select distinct r.reader, e.id
  from events e
  cross join lateral (values
    ('agent:' || e.agent_id),
    ('agent:' || (e.context->>'client_agent_id')),
    ('user:' || (e.context->>'client_user_id')),
    ('wallet:' || (e.context->>'client_wallet')),
    (case when e.type like 'order.%' then 'order:' || e.subject_id end)) as r (reader)
  where r.reader is not null) as read;

insert into event_counters (reader, last_seq)
select reader, max(seq) from event_readers where seq is not null group by reader;

alter table events disable trigger events_append_only;
update events e set agent_seq = r.seq from event_readers r where r.event_id = e.id and r.reader = 'agent:' || e.agent_id;
alter table events enable trigger events_append_only;
alter table events add constraint events_numbered check ((agent_seq is not null) = (agent_id is not null));

create unique index events_agent_seq on events (agent_id, agent_seq) where agent_id is not null;
create unique index event_readers_seq on event_readers (reader, seq) where seq is not null;
create index event_readers_position on event_readers (xid, event_id);
