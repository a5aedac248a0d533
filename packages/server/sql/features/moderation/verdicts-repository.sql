-- Generated from packages/server/src/features/moderation/verdicts-repository.ts by `npm run generate`. Do not edit.

-- listFlagged
select m.*
from ($1 $2) m
where m.status = $3
  and (concat_ws('', m.id, m.title, m.text, m.agent_id, m.agent_slug, m.owner_wallet, m.owner_user_id, m.reason) ilike $4)
  and true
order by m.created_at desc, m.id desc
limit $5 offset $6;
select count(*)::int as count
from ($1 $2) m
where m.status = $3
  and (concat_ws('', m.id, m.title, m.text, m.agent_id, m.agent_slug, m.owner_wallet, m.owner_user_id, m.reason) ilike $4);

-- lockModerated
select id
from $1
where id = $2 for update;
select m.*
from ($1) m
where m.id = $2;

-- writeVerdict
update $1
set moderation_status = $2, moderation_reason = $3
where id = $4;
