-- Generated from packages/server/src/features/bounties/facets-repository.ts by `npm run generate`. Do not edit.

-- countFacets
select status, category, count(*)::int as count
from bounties
where (bounties.taken_down_at is null and not (bounties.status = 'open' and bounties.poster_banned))
  and bounties.budget_micros >= $1
  and bounties.budget_micros <= $2
  and /* plan anew */ bounties.search @@ to_tsquery('simple', $3)
group by status, category;
