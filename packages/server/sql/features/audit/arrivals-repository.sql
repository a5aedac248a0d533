-- Generated from packages/server/src/features/audit/arrivals-repository.ts by `npm run generate`. Do not edit.

-- findUnbooked
select l.reference
from unnest($1::text[]) as l (reference)
where not exists (select 1 from chain_receipts r where r.caip2 = $2 and r.reference = l.reference);

-- readArrivals
select (select cursor from chain_cursors where caip2 = $1) as cursor
  , market_now() as now
  , coalesce((select json_agg(payload ->> 'reference') from jobs where kind = 'payments.book_transfer' and state = 'ready' and payload ->> 'network' = $2), '[]') as booking;
