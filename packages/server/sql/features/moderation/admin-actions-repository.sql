-- Generated from packages/server/src/features/moderation/admin-actions-repository.ts by `npm run generate`. Do not edit.

-- insertAdminAction
insert into "admin_actions" ("details")
values ($1);

-- listAdminActions
select *
from "admin_actions"
where (concat_ws('', id, admin, action, subject_id, reason, details) ilike $1) and "subject_id" = $2
order by "id" desc
limit $3 offset $4;
select count(*)::int as "count"
from "admin_actions"
where (concat_ws('', id, admin, action, subject_id, reason, details) ilike $1) and "subject_id" = $2;
