-- why: followers of events take many at a time from a queue of their own, instead of one job per event

-- Written with the event, deleted with the follower's effect. Events are never deleted, so no foreign key is needed.
create table event_queue (
  follower text not null,
  event_id bigint not null,
  primary key (follower, event_id)
);
