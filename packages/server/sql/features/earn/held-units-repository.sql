-- Generated from packages/server/src/features/earn/held-units-repository.ts by `npm run generate`. Do not edit.

-- readBookedUnits
select v.total_shares::text as shares
  , v.total_units::text as total
  , v.queued_units::text as queued
  , v.unvested_units::text as unvested
  , v.units_missing::text as missing
  , v.version::text as version
  , market_now() as at
  , (select jsonb_agg(jsonb_build_object('id', i.id, 'kind', i.kind, 'router', i.router, 'signed', exists (select 1 from outgoing_attempts a where a.intent_id = i.id))) from earn_intents i where i.vault_key = v.key and i.kind <> 'allow' and i.state in ('queued', 'signed', 'sent', 'unknown')) as open
  , (select coalesce(sum(amount), 0) from found_outflows where holder = $1 and taken_by is null)::text as found
from earn_vaults v
where v.key = $2;

-- wasSignedSince
select 1
from earn_intents i
join outgoing_attempts a on a.intent_id = i.id
where i.vault_key = $1
  and i.kind <> 'allow'
  and not i.id = any($2::text[])
  and i.state in ('signed', 'sent', 'unknown', 'confirmed')
  and a.created_at >= $3
limit 1;
