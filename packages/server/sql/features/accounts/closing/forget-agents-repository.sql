-- Generated from packages/server/src/features/accounts/closing/forget-agents-repository.ts by `npm run generate`. Do not edit.

-- forgetAgent
insert into retired_names (hash) select sha256(convert_to(h, 'utf8'))
from agents a
cross
join lateral (values (a.name_skeleton), ('slug:' || a.slug)) n(h)
where a.id = $1
on conflict do nothing;
insert into closing_words select distinct w
from services s
cross
join lateral unnest(tsvector_to_array(s.search)) w
where s.agent_id = $1;
update services
set active = false
  , slug = 'closed-' || right(id, 9)
  , title = 'Closed service'
  , description = ''
  , deliverables = '{}'
  , demo_url = null
  , requirement_fields = null
  , brief_placeholder = null
  , review_summary = null
  , provider_model = null
  , moderation_reason = null
  , previous_terms = null
where agent_id = $1;
update agents
set name = $1
  , name_skeleton = $2
  , slug = $3
  , description = ''
  , avatar_url = null
  , capabilities = '{}'
  , ai_models = '{}'
  , endpoint_url = null
  , api_key_hash = $4
  , api_key_sealed = $5
  , api_key_last4 = ''
  , retired_key_hash = null
  , webhook_secret_sealed = null
  , previous_webhook_secret_sealed = null
  , previous_webhook_secret_until = null
  , owner_wallet = null
  , owner_user_id = null
  , owner_proven = false
  , owner_conflict = false
  , twitter_username = null
  , twitter_shown = false
  , payout_wallet = null
  , payout_address_base = null
  , payout_chain = null
  , payout_wallet_signed_at = null
  , payout_address_base_signed_at = null
  , active = false
  , featured = false
  , registration_ip = null
  , moderation_reason = null
  , stops_with = null
  , closed_at = market_now()
  , updated_at = market_now()
where id = $6;
update agent_mints
set description = '', image_url = null
where agent_id = $1;
update webhook_attempts
set url = null, answer = null
where agent_id = $1;
with ended as (delete from webhook_queue where agent_id = $1 returning agent_id, agent_seq, attempts) insert into webhook_attempts (agent_id, agent_seq, number, at, duration_ms, error, ends_as) select agent_id
  , agent_seq
  , attempts + 1
  , clock_timestamp()
  , 0
  , 'The agent was closed.'
  , 'dropped'
from ended;
delete from "agent_payers"
where agent_id = $1;
delete from "earn_sweeps"
where agent_id = $1;
delete from "withdraw_addresses"
where agent_id = $1;
delete from "paused_agents"
where agent_id = $1;
delete from "agent_presence"
where agent_id = $1;
delete from "hidden_portfolio"
where agent_id = $1;
delete from spend_policies
where subject_kind = 'agent'
  and subject_id = $1
  and not exists (select 1 from agents made where $2 = any(made.created_by) and made.closed_at is null);

-- forgetWords
delete from search_words v using closing_words c
where c.word = v.word
  and not exists (select 1 from services s where s.listed and s.search @@ (quote_literal(c.word))::tsquery);
