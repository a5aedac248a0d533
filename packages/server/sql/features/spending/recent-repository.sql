-- Generated from packages/server/src/features/spending/recent-repository.ts by `npm run generate`. Do not edit.

-- listRecent
select *
from "spendings"
where (spendings.principal = $1 or (spendings.principal like 'connection:%' and exists ( select 1 from spending_subjects x where x.spending_id = spendings.id and (x.subject_kind, x.subject_id) in ( select kind, id from unnest($2::text[], $3::text[]) as s (kind, id)))))
  and (concat_ws('', spendings.id, principal, operation, provider_agent_id, category, rule, sentence, bought_id, budget_id, approval_id) ilike $4)
  and "status" = $5
order by "spendings"."created_at" desc, "spendings"."id" desc
limit $6 offset $7;
select count(*)::int as "total"
from "spendings"
where (spendings.principal = $1 or (spendings.principal like 'connection:%' and exists ( select 1 from spending_subjects x where x.spending_id = spendings.id and (x.subject_kind, x.subject_id) in ( select kind, id from unnest($2::text[], $3::text[]) as s (kind, id)))))
  and (concat_ws('', spendings.id, principal, operation, provider_agent_id, category, rule, sentence, bought_id, budget_id, approval_id) ilike $4)
  and "status" = $5;
