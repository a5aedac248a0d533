/** Invariants of tokens: every token on record was registered, and cleared tokens are gone. */
import type { Invariant } from './invariant.ts';

export const tokenInvariants: readonly Invariant[] = [
  {
    id: 'T01',
    holds: 'the token on an agent’s record is the one its last token event names, and a cleared one is gone',
    sql: `select a.id as agent_id, a.token_mint, t.mint from agents a
          left join lateral (
            select case when e.type <> 'agent.token_cleared' then e.data->>'mint' end as mint, e.data->>'creator_wallet' as creator from events e
            where e.subject_id = a.id and e.type in ('agent.token_registered', 'agent.token_launched', 'agent.token_cleared')
            order by e.id desc limit 1) t on true
          where a.token_mint is distinct from t.mint or (a.token_mint is not null and a.token_creator_wallet is distinct from t.creator)`,
  },
  {
    id: 'T02',
    holds: 'a token on record is complete and belongs to one agent only',
    sql: `select id as agent_id, token_mint from agents
          where num_nulls(token_mint, token_name, token_symbol, token_mode, token_creator_wallet, token_created_at) not in (0, 6)
             or (token_mint is null and num_nonnulls(token_image_url, token_tx_hash) > 0)
          union all
          select min(id), token_mint from agents where token_mint is not null group by token_mint having count(*) > 1`,
  },
  {
    id: 'T03',
    holds: 'a launched token has one launch that ended with it, paid by the wallet on record, and its lock is kept',
    sql: `select a.id as agent_id, a.token_mint from agents a
          left join agent_mints k on k.mint = a.token_mint and k.agent_id = a.id and k.kind = 'token_launch' and k.state = 'made'
          left join wallet_movements m on m.id = k.movement_id and m.state = 'confirmed' and m.destination = k.mint
            and m.wallet = a.token_creator_wallet and m.reference = a.token_tx_hash
          where a.token_mode = 'partner' and (m.id is null or a.token_launch_attempted_at is null)`,
  },
  {
    id: 'T04',
    holds: 'an agent without a token is locked exactly while a launch of it is open',
    sql: `select a.id as agent_id, a.token_launch_attempted_at as locked_at, k.mint from agents a
          left join agent_mints k on k.agent_id = a.id and k.kind = 'token_launch' and k.state = 'open'
          where (a.token_mint is null and (a.token_launch_attempted_at is null) <> (k.mint is null)) or (a.token_mint is not null and k.mint is not null)`,
  },
  {
    id: 'T05',
    holds: 'the state of a mint follows its movement: open, made when confirmed, failed when failed',
    sql: `select k.movement_id, k.state, m.state as movement from agent_mints k join wallet_movements m on m.id = k.movement_id
          where k.state <> case m.state when 'confirmed' then 'made' when 'failed' then 'failed' else 'open' end
             or m.destination <> k.mint or m.purpose <> k.kind or m.agent_id <> k.agent_id
          union all
          select m.id, 'missing', m.state from wallet_movements m where m.purpose in ('token_launch', 'said_identity')
            and not exists (select 1 from agent_mints k where k.movement_id = m.id)`,
  },
  {
    id: 'T06',
    holds: 'an agent’s identity is the one that was minted, in its own wallet',
    sql: `select a.id as agent_id, a.said_pda from agents a full join (select k.*, m.reference, m.wallet from agent_mints k
            join wallet_movements m on m.id = k.movement_id where k.kind = 'said_identity' and k.state = 'made') k on k.agent_id = a.id
          where (a.said_wallet is not null or k.mint is not null)
            and (a.said_pda, a.said_wallet, a.said_tx_hash) is distinct from (k.mint, k.wallet, k.reference)`,
  },
  {
    id: 'T07',
    holds: 'a token has the name and symbol that its last token event says, and one made here is named by its mint',
    sql: `select a.id as agent_id, a.token_name, a.token_symbol, t.name, t.symbol from agents a
          join lateral (
            select e.data->>'name' as name, e.data->>'symbol' as symbol from events e
            where e.subject_id = a.id and e.type in ('agent.token_registered', 'agent.token_launched', 'agent.token_cleared')
            order by e.id desc limit 1) t on true
          left join agent_mints k on k.mint = a.token_mint and k.kind = 'token_launch' and k.state = 'made'
          where a.token_mint is not null and a.closed_at is null
            and ((a.token_name, a.token_symbol) is distinct from (t.name, t.symbol)
              or (k.mint is not null and ((k.name, k.symbol) is distinct from (a.token_name, a.token_symbol) or a.token_named_by is distinct from 'mint')))`,
  },
  {
    id: 'T08',
    holds: 'no two tokens registered since names are protected look alike',
    sql: `select a.id as agent_id, b.id as other_agent_id, a.token_words, b.token_words as other_words from agents a
          join agents b on b.id > a.id and b.token_mint is not null and a.token_words && b.token_words
          where a.token_mint is not null and not exists (
            select from unnest(array[a.id, b.id]) as side where (
              select e.data ? 'named_by' from events e where e.subject_id = side and e.type in ('agent.token_registered', 'agent.token_launched')
              order by e.id desc limit 1) is not true)`,
  },
];
