-- Generated from packages/server/src/features/accounts/closing/open-things-repository.ts by `npm run generate`. Do not edit.

-- listClosableAgents
select "id"
from "agents"
where "closed_at" is null
  and "owner_conflict" = $1
  and "moderation_status" <> $2
  and ("owned_since_restore" is null or "owned_since_restore" <= $3)
  and "owner_user_id" = $4
  and "owner_wallet" is null
order by "id";

-- listEndingThings
select 'agent' as kind, id, name as what
from agents
where id = any($1)
union all select 'connection', id, client_name
from connections
where revoked_at is null and (person = any($2) or agent_id = any($3))
union all select 'linked_wallet', id, address
from user_wallets
where user_id = $4
union all select 'session', 'wallet', 'until ' || to_char(expires_at at time zone 'utc', 'YYYY-MM-DD HH24:MI')
from sessions
where wallet = $5 and expires_at > market_now()
union all select 'saved_search', id, name
from saved_searches
where owner = any($6)
union all select 'budget', id, coalesce(label, '')
from spend_budgets
where owner = any($7) and closed_at is null
limit $8;

-- listOpenConnections
select "id"
from "connections"
where "revoked_at" is null and ("person" = any($1) or "agent_id" = any($2));

-- listOpenThings
select 'bought' as side, o.id, '“' || o.service_title || '”, ' || replace(o.status, '_', ' ') as what, o.status
from orders o
where o.status not in ('completed', 'cancelled')
  and (o.user_id = $1 or (o.client_wallet = $2 and o.user_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($3::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($4::text[]))) or o.client_agent_id = any($5))
union all select 'sold', o.id, '“' || o.service_title || '”, ' || replace(o.status, '_', ' ') as what, o.status
from orders o
where o.status not in ('completed', 'cancelled') and o.provider_agent_id = any($6)
limit $7;
select 'payout' as kind
  , p.id
  , p.purpose || ' of ' || trim_scale(round("p"."amount_micros" / 1000000.0, 6))::text || ' USDC' || ', ' || p.state as what
from payouts p
join orders o on o.id = p.subject_id
where p.state not in ('confirmed', 'void')
  and case p.purpose
  when 'payout' then o.provider_agent_id = any($1) else (o.user_id = $2 or (o.client_wallet = $3 and o.user_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($4::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($5::text[]))) or o.client_agent_id = any($6)) end
union all select 'payout'
  , p.id
  , p.purpose || ' of ' || trim_scale(round("p"."amount_micros" / 1000000.0, 6))::text || ' USDC' || ', ' || p.state
from payouts p
where p.state not in ('confirmed', 'void') and p.subject_id = any($7)
union all select 'payment'
  , x.subject_id
  , trim_scale(round("x"."amount_micros" / 1000000.0, 6))::text || ' USDC' || ' for “' || coalesce(x.request->'service'->>'title', 'a registration') || '”'
from x402_payments x
where x.state in ('settling', 'unknown')
  and (x.payer = $8 or x.request->'service'->>'agentId' = any($9) or x.request->>'client_agent_id' = any($10))
union all select 'owed'
  , a.owner
  , trim_scale(round("a"."balance_micros" / 1000000.0, 6))::text || ' USDC' || ' on ' || a.network
from ledger_accounts a
where a.kind = 'agent_payable' and a.owner = any($11) and a.balance_micros <> 0
union all select 'bounty', b.id, '“' || b.title || '”, ' || b.status
from bounties b
where b.status in ('open', 'claimed', 'disputed')
  and (b.user_id = $12 or (b.client_wallet = $13 and b.user_id is null))
union all select 'claim', c.id, 'a claim on “' || b.title || '”'
from bounty_claims c
join bounties b on b.id = c.bounty_id
where c.agent_id = any($14) and c.status in ('pending', 'invited') and b.status = 'open'
union all select 'stake', s.id, trim_scale(round("s"."amount_micros" / 1000000.0, 6))::text || ' USDC'
from bounty_stakes s
join bounty_claims c on c.id = s.claim_id
where c.agent_id = any($15) and s.status = 'held'
union all select 'earn_position'
  , vault_key
  , trim_scale(round("principal_micros" / 1000000.0, 6))::text || ' USDC' || ' deposited'
from earn_positions
where shares > 0
  and ((owner_kind = 'user' and owner_id = $16) or (owner_kind = 'wallet' and owner_id = $17) or (owner_kind = 'agent' and owner_id = any($18)))
union all select 'earn_deposit'
  , id
  , trim_scale(round("amount_micros" / 1000000.0, 6))::text || ' USDC' || ', ' || status
from earn_deposits
where status in ('received', 'deploying', 'refunding', 'held')
  and ((owner_kind = 'user' and owner_id = $19) or (owner_kind = 'wallet' and owner_id = $20) or (owner_kind = 'agent' and owner_id = any($21)))
union all select 'earn_deposit'
  , movement_id
  , trim_scale(round("amount_micros" / 1000000.0, 6))::text || ' USDC' || ', on its way from the wallet'
from earn_agent_deposits
where state = 'open' and agent_id = any($22)
union all select 'earn_withdrawal', id, 'a withdrawal from ' || vault_key || ', ' || status
from earn_withdrawals
where status <> 'settled'
  and ((owner_kind = 'user' and owner_id = $23) or (owner_kind = 'wallet' and owner_id = $24) or (owner_kind = 'agent' and owner_id = any($25)))
union all select 'wallet_movement', id, purpose || ', ' || state
from wallet_movements
where agent_id = any($26) and state not in ('confirmed', 'failed')
union all select 'creator_fees', s.mint, least(sum(s.lamports), max(a.balance_micros)) || ' lamports'
from ( select agent_id, mint, agent_lamports as lamports from creator_fee_receipts where agent_id = any($27) union all select agent_id, mint, -lamports from creator_fee_payouts where share = 'agent' and agent_id = any($28) and state <> 'failed') s
join ledger_accounts a on a.kind = 'creator_fee_agent' and a.owner = s.mint and a.balance_micros > 0
group by s.agent_id, s.mint
having sum(s.lamports) > 0
union all select 'creator_fees', id, lamports || ' lamports, ' || state
from creator_fee_payouts
where agent_id = any($29) and state not in ('confirmed', 'failed')
union all select 'swap', id, 'a swap, ' || state
from swap_orders
where user_id = $30 and state = 'executing'
union all select 'move', id, summary
from delayed_moves
where state in ('waiting', 'ready')
  and kind not in ('account_closing', 'agent_closing')
  and (owner = any($31) or agent_id = any($32))
union all select 'payout_change', id, name
from agents
where id = any($33) and pending_payout_at is not null
union all select 'agent', id, name
from agents
where closed_at is null and not id = any($34) and (owner_user_id = $35 or owner_wallet = $36)
limit $37;

-- listOwnAgents
select "id"
from "agents"
where "closed_at" is null and "owner_user_id" = $1
order by "id";

-- lockAgents
select id
from agents
where id = any($1)
order by id for update;

-- not shown: openThing
