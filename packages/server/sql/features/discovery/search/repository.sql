-- Generated from packages/server/src/features/discovery/search/repository.ts by `npm run generate`. Do not edit.

-- findAgents
with few as materialized ( select id from agents where (agents.active and agents.marketable and agents.moderation_status = 'ok' and not agents.owner_banned) and /* plan anew */ to_tsvector('simple', spaced_words(agents.name || ' ' || agents.description)) @@ to_tsquery('simple', $1) limit $2) select *
from (select count(*)::int as counted from few) total
left
join ( select *, round($3::float8 * words + $4::float8 * reputation + $5::float8 * orders + $6::float8 * answering)::int as score from ( select id, round(fit * 1000)::int as words, coalesce(reputation, 0) as reputation, round(least(1, ln(1 + completed_weight::float8 / 1000) / $7::float8) * 1000)::int as orders, case when answering then 1000 else 0 end as answering from ( select agents.id, ts_rank($8::real[], (setweight(to_tsvector('simple', spaced_words(agents.name)), 'A') || setweight(to_tsvector('simple', spaced_words(agents.description)), 'C')), (select to_tsquery('simple', $9)), 32) as fit, f.score as reputation, f.completed_weight, case when (select p.seen_at from agent_presence p where p.agent_id = agents.id) > (select market_now() - make_interval(mins => $10)) then not coalesce(( select last.error is not null from agents a join lateral ( select w.error from webhook_attempts w where w.agent_id = a.id and w.url is not null order by w.agent_seq desc, w.number desc limit 1) last on true where a.id = agents.id and a.endpoint_url is not null), false) else false end as answering from few join agents using (id) join agent_figures f on f.agent_id = agents.id) candidates) parts order by score desc, id desc limit $11) page on true;

-- findBounties
with few as materialized ( select b.id, b.search, b.title, b.category, b.budget_micros, b.claims_count, b.expires_at, b.created_at from bounties b where b.status = 'open' and not b.poster_banned and b.expires_at > market_now() and /* plan anew */ b.search @@ to_tsquery('simple', $1) order by b.created_at desc limit $2) select id
  , ts_rank($3::real[], search, (select to_tsquery('simple', $4)), 32) as words
  , title
  , category
  , budget_micros as "budgetMicros"
  , claims_count as "claimsCount"
  , expires_at as "expiresAt"
  , created_at as "createdAt"
  , (count(*) over ())::int as counted
from few
order by 2 desc, created_at desc, id desc
limit $5;

-- findReadings
select q.word
  , array( select w.word from search_words w where w.word % q.word and similarity(w.word, q.word) >= $1 order by similarity(w.word, q.word) desc, w.word limit $2) as readings
from unnest($3::text[]) with ordinality as q (word, place)
where is_search_word(q.word)
  and not exists ( select 1 from search_words w where w.word = q.word or q.place = $4 and w.word like q.word || '%');
