-- why: a restored database gives back sessions, tokens and changes that their owners had ended since the backup, so the market must notice it

-- Where these books were used last. In another place they were restored.
create table known_place (
  only_row boolean primary key default true check (only_row),
  place text not null,
  noted_at timestamptz not null default market_now(),
  -- Null: never, as far as these books know.
  restored_at timestamptz
);
-- Every minute the comparison with the chains wrote its place down. So a restored backup of before this migration is noticed, too.
insert into known_place (place) select place from outflow_cursors order by checked_at desc limit 1;

-- The job of a payout change says where the change was asked, as moves that wait do.
update jobs set payload = payload || jsonb_build_object('place', coalesce((select place from known_place), database_place()))
where kind = 'agent.apply_payout_change';

-- A restore ended the tokens of this connection. Its limits, its agents and what it spent stay; the program must ask the person again.
alter table connections add column tokens_ended_at timestamptz(3);
drop trigger connections_credentials on connections;
create trigger connections_credentials after update of revoked_at, tokens_ended_at, scopes, agent_id on connections
  for each row when (
    (old.revoked_at, old.tokens_ended_at, old.scopes, old.agent_id) is distinct from (new.revoked_at, new.tokens_ended_at, new.scopes, new.agent_id))
  execute function connection_changed();
