/** Invariants of agents' server wallets: every movement was requested and has its end. */
import type { Invariant } from './invariant.ts';

export const walletInvariants: readonly Invariant[] = [
  {
    id: 'S03',
    holds: 'every movement was requested: the custody log has it with the same agent, network and destination',
    sql: `select m.id as movement_id from wallet_movements m left join wallet_log l on l.movement_id = m.id
          where l.id is null or l.agent_id <> m.agent_id or l.network <> m.network or l.address <> m.destination or l.action <> m.purpose`,
  },
  {
    id: 'S04',
    holds: 'a movement leaves the wallet of its own agent',
    sql: `select m.id as movement_id from wallet_movements m where not exists (select 1 from agent_wallets w
          where w.agent_id = m.agent_id and w.address = m.wallet and w.kind = case when m.network like 'solana%' then 'solana' else 'evm' end)`,
  },
  {
    id: 'S05',
    holds: 'a withdrawal goes to an address that the owner set before',
    sql: `select l.movement_id from wallet_log l where l.action = 'withdraw' and not exists (select 1 from wallet_log s
          where s.agent_id = l.agent_id and s.action like 'withdraw_address%' and s.address = l.address and s.id < l.id)`,
  },
  {
    id: 'S06',
    holds: 'the state of a registration on chain follows its movement: open, made when confirmed, failed when failed',
    sql: `select r.movement_id, r.state, m.state as movement from agent_registrations r join wallet_movements m on m.id = r.movement_id
          where r.state <> case m.state when 'confirmed' then 'made' when 'failed' then 'failed' else 'open' end
             or m.purpose <> 'agent_registration' or m.agent_id <> r.agent_id or r.registry not like '%:' || m.destination
          union all
          select m.id, 'missing', m.state from wallet_movements m where m.purpose = 'agent_registration'
            and not exists (select 1 from agent_registrations r where r.movement_id = m.id)`,
  },
  {
    id: 'S07',
    holds: 'an agent’s on-chain identity is the one that was registered',
    sql: `select coalesce(a.id, r.agent_id) as agent_id, a.erc8004_agent_id, r.onchain_id from agents a
          full join (select * from agent_registrations where state = 'made') r on r.agent_id = a.id
          where (a.erc8004_agent_id is not null or r.onchain_id is not null)
            and (a.erc8004_registry, a.erc8004_agent_id) is distinct from (r.registry, r.onchain_id)`,
  },
  {
    id: 'S08',
    holds: 'a review shows a publication on chain exactly when one of its files is published, and the same one',
    sql: `select coalesce(r.id, f.review_id) as review_id, r.onchain_tx_hash, f.tx_hash from reviews r
          full join (select * from onchain_feedback where state = 'published') f on f.review_id = r.id
          where (r.onchain_tx_hash is not null or f.tx_hash is not null)
            and (r.onchain_tx_hash, r.onchain_at) is distinct from (f.tx_hash, f.published_at)`,
  },
  {
    id: 'S09',
    holds: 'a feedback file is about the order, agent and rating of its review, and about the agent’s registered identity',
    sql: `select f.file_hash, f.review_id from onchain_feedback f join reviews r on r.id = f.review_id join agents a on a.id = f.agent_id
          where f.order_id <> r.order_id or f.agent_id <> r.agent_id or f.value <> 20 * r.rating
             or (f.agent_registry, f.onchain_id) is distinct from (a.erc8004_registry, a.erc8004_agent_id)`,
  },
];
