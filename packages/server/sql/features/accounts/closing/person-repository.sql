-- Generated from packages/server/src/features/accounts/closing/person-repository.ts by `npm run generate`. Do not edit.

-- beginForgetting
select set_config('market.closing', 'on', true);
insert into closing_transactions (writer)
values (pg_current_xact_id()::xid::text)
on conflict do nothing;

-- endPolicies
delete from spend_policies
where subject_kind = 'account' and subject_id = any($1);

-- listWaitingClosings
select *
from "delayed_moves"
where "state" in ($1, $2)
  and "kind" in ($3, $4)
  and (("owner" = $5 and "kind" = $6) or "agent_id" = any($7))
  and "id" != $8
order by "id" for update;
