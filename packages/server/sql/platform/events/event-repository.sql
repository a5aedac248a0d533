-- Generated from packages/server/src/platform/events/event-repository.ts by `npm run generate`. Do not edit.

-- findAwaited
select f.follower
from unnest($1::text[]) as f (follower)
where exists (select 1 from event_queue q where q.follower = f.follower);

-- findEvent
select "id", "type", "subject_id", "agent_id", "data", "context", "created_at"
from "events"
where "id" = $1;

-- takeQueued
with lease as materialized (select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held)
  , next as materialized ( select event_id from event_queue where follower = $2 and (select held from lease) order by event_id limit $3)
  , taken as (delete from event_queue q using next where q.follower = $4 and q.event_id = next.event_id returning q.event_id) select e.id
  , e.type
  , e.subject_id as "subjectId"
  , e.agent_id as "agentId"
  , e.data
  , e.context
  , e.created_at as "createdAt"
from taken
join events e on e.id = taken.event_id
order by e.id;

-- not shown: composeAppend
