-- Generated from packages/server/src/features/tokens/words-repository.ts by `npm run generate`. Do not edit.

-- isAgentNamed
select 1
from agents
where active
  and name_skeleton = any($1::text[])
  and id <> $2
  and (owner_user_id = $3) is not true
  and (owner_proven and owner_wallet = $4) is not true
limit 1;

-- isWordTaken
select 1
from agents
where token_mint <> $1 and token_words && $2::text[] and id <> $3
union all select 1
from agent_mints
where kind = 'token_launch' and state = 'open' and words && $4::text[] and agent_id <> $5
limit 1;

-- listUnreadTokens
select token_mint as mint, id as agent_id, token_name as name, token_symbol as symbol, token_named_by as named_by
from agents
where token_mint is not null
  and token_mode <> 'partner'
  and (token_read_at is null or token_read_at < market_now() - interval '1 day')
order by token_read_at nulls first
limit $1;

-- lockTokenWords
select pg_advisory_xact_lock(hashtextextended('token words', 0));

-- writeReading
update agents
set token_named_by = $1, token_read_at = market_now()
where id = $2 and token_mint = $3;
