-- Generated from packages/server/src/features/discovery/search/score-repository.ts by `npm run generate`. Do not edit.

-- queryOf
(select to_tsquery('simple', $1));

-- ranked
select *
  , round($1::float8 * words + $2::float8 * reputation + $3::float8 * orders + $4::float8 * answering)::int as score
from ( select id, round(fit * 1000)::int as words, coalesce(reputation, 0) as reputation, round(least(1, ln(1 + completed_weight::float8 / 1000) / $5::float8) * 1000)::int as orders, case when answering then 1000 else 0 end as answering from ($6) candidates) parts
order by score desc, id desc;

-- wordFit
ts_rank($1::real[], $2, $3, 32);

-- not shown: toRanked
