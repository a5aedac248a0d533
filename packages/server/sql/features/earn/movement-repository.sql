-- Generated from packages/server/src/features/earn/movement-repository.ts by `npm run generate`. Do not edit.

-- listActivity
select id, kind, created_at
from ( (select id, $1::text as kind, created_at from earn_deposits where $2 and (concat_ws('', id, vault_key, owner_id, (select a.name from agents a where owner_kind = 'agent' and a.id = owner_id), coalesce(deploy_reference, reference)) ilike $3) and true order by created_at desc, id desc limit $4) union all (select id, $5::text as kind, created_at from earn_withdrawals where $6 and (concat_ws('', id, vault_key, owner_id, (select a.name from agents a where owner_kind = 'agent' and a.id = owner_id), destination, (select string_agg(concat_ws(' ', i.reference, p.paid_reference), ' ') from earn_parts p join earn_intents i on i.id = p.intent_id where p.withdrawal_id = earn_withdrawals.id)) ilike $7) and true order by created_at desc, id desc limit $8)) both_kinds
order by created_at desc, id desc
limit $9 offset $10;
select ((select count(*) from earn_deposits where $1 and (concat_ws('', id, vault_key, owner_id, (select a.name from agents a where owner_kind = 'agent' and a.id = owner_id), coalesce(deploy_reference, reference)) ilike $2)) + (select count(*) from earn_withdrawals where $3 and (concat_ws('', id, vault_key, owner_id, (select a.name from agents a where owner_kind = 'agent' and a.id = owner_id), destination, (select string_agg(concat_ws(' ', i.reference, p.paid_reference), ' ') from earn_parts p join earn_intents i on i.id = p.intent_id where p.withdrawal_id = earn_withdrawals.id)) ilike $4)))::int as total;

-- listMovements
select id, kind, created_at
from ( (select id, $1::text as kind, created_at from earn_deposits where $2 and (owner_kind, owner_id) in (select kind, id from unnest($3::text[], $4::text[]) as o (kind, id)) and vault_key = $5 and (concat_ws('', id, vault_key, $6::jsonb ->> vault_key, case when owner_kind <> 'user' then owner_id end, (select a.name from agents a where owner_kind = 'agent' and a.id = owner_id), reason, reference, deploy_reference, refund_reference) ilike $7) and true order by created_at desc, id desc limit $8) union all (select id, $9::text as kind, created_at from earn_withdrawals where $10 and (owner_kind, owner_id) in (select kind, id from unnest($11::text[], $12::text[]) as o (kind, id)) and vault_key = $13 and (concat_ws('', id, vault_key, $14::jsonb ->> vault_key, case when owner_kind <> 'user' then owner_id end, (select a.name from agents a where owner_kind = 'agent' and a.id = owner_id), reason, destination, (select string_agg(concat_ws(' ', i.reference, p.paid_reference), ' ') from earn_parts p join earn_intents i on i.id = p.intent_id where p.withdrawal_id = earn_withdrawals.id)) ilike $15) and true order by created_at desc, id desc limit $16)) both_kinds
order by created_at desc, id desc
limit $17 offset $18;
select ((select count(*) from earn_deposits where $1 and (owner_kind, owner_id) in (select kind, id from unnest($2::text[], $3::text[]) as o (kind, id)) and vault_key = $4 and (concat_ws('', id, vault_key, $5::jsonb ->> vault_key, case when owner_kind <> 'user' then owner_id end, (select a.name from agents a where owner_kind = 'agent' and a.id = owner_id), reason, reference, deploy_reference, refund_reference) ilike $6)) + (select count(*) from earn_withdrawals where $7 and (owner_kind, owner_id) in (select kind, id from unnest($8::text[], $9::text[]) as o (kind, id)) and vault_key = $10 and (concat_ws('', id, vault_key, $11::jsonb ->> vault_key, case when owner_kind <> 'user' then owner_id end, (select a.name from agents a where owner_kind = 'agent' and a.id = owner_id), reason, destination, (select string_agg(concat_ws(' ', i.reference, p.paid_reference), ' ') from earn_parts p join earn_intents i on i.id = p.intent_id where p.withdrawal_id = earn_withdrawals.id)) ilike $12)))::int as total;

-- readAgentNames
select id, name, avatar_url
from agents
where id = any($1::text[]);

-- readDepositLinks
select d.id
  , coalesce(d.deploy_reference, (select a.reference from earn_intents i join outgoing_attempts a on a.intent_id = i.id where i.subject_id = d.id and a.state in ('sent', 'unknown', 'confirmed') order by i.created_at desc, a.number desc limit 1)) as deploy_reference
  , p.state as refund_state
  , coalesce(d.refund_reference, p.reference, (select a.reference from outgoing_attempts a where a.intent_id = p.id and a.state in ('sent', 'unknown', 'confirmed') order by a.number desc limit 1)) as refund_reference
from earn_deposits d
left
join payouts p on p.purpose = 'earn_refund' and p.subject_id = d.id and p.state <> 'void'
where d.id = any($1::text[]);

-- readOpenDeposits
select vault_key as key, sum(amount_micros)::bigint as micros
from earn_deposits
where status in ('received', 'deploying', 'held')
group by vault_key;

-- readTotals
select coalesce((select sum(amount_micros) from earn_deposits where status = 'deployed'), 0)::bigint as deposits_micros
  , coalesce((select sum(paid_micros) from earn_withdrawals), 0)::bigint as paid_micros
  , coalesce((select sum(received_micros - paid_micros) from earn_withdrawals), 0)::bigint as owed_micros;
