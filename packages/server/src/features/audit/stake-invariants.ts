/** Invariants of claim stakes: their account, claim, incoming transfer and outgoing transfer. Family B of the reliability plan. */
import { decideStake, orderCommands } from '@market/contract';
import type { Invariant } from './invariant.ts';
import { isRedirected } from './redirected.ts';

/** Steps of an order that forfeit the winner's stake, from the contract's table. */
const forfeiting = orderCommands
  .filter((command) => decideStake('order', command) === 'forfeited')
  .map((command) => `'${command}'`)
  .join(', ');

export const stakeInvariants: readonly Invariant[] = [
  {
    id: 'B06',
    holds: 'the account of a stake holds its amount while it is not decided, and nothing afterwards',
    sql: `select s.id as stake_id, s.status, coalesce(a.balance_micros, 0)::text as held from bounty_stakes s
          left join ledger_accounts a on a.kind = 'escrow' and a.owner = s.id and a.network = s.network
          where coalesce(a.balance_micros, 0) <> case when s.status = 'held' then s.amount_micros else 0 end
          union all
          select a.owner, null, a.balance_micros::text from ledger_accounts a
          where a.kind = 'escrow' and a.owner like 'stk\\_%' and a.balance_micros <> 0
            and not exists (select 1 from bounty_stakes s where s.id = a.owner and s.network = a.network)`,
  },
  {
    id: 'B07',
    holds:
      'every claim on a bounty with a stake rests on one stake of that amount, paid by one proven transfer, and held while claim or order is undecided',
    sql: `select c.id as claim_id, s.status from bounty_claims c join bounties b on b.id = c.bounty_id
          left join bounty_stakes s on s.id = c.stake_id and s.claim_id = c.id
          where (b.claim_stake_micros > 0) <> (s.id is not null) or (c.stake_id is null) <> (s.id is null)
             or s.amount_micros <> b.claim_stake_micros
             or (s.status = 'held') <> (c.status in ('pending', 'invited') or (c.status = 'accepted' and b.status in ('claimed', 'disputed')))
          union all
          select s.claim_id, s.status from bounty_stakes s join bounty_claims c on c.id = s.claim_id
          where s.status = 'held' and c.stake_id is distinct from s.id
          union all
          select coalesce(s.claim_id, p.subject_id), s.status from bounty_stakes s
          full join (select c.*, r.network from payment_claims c join chain_receipts r using (caip2, reference) where c.purpose = 'claim_stake') p
            on p.subject_id = s.id
          where s.id is null or p.subject_id is null or p.payer <> s.payer or p.reference <> s.reference or p.network <> s.network
             or p.price_micros <> s.amount_micros or p.proof = 'bare'`,
  },
  {
    id: 'B08',
    holds: 'a decided stake left once and has its event: to its payer, or forfeited by a winner whose order expired without a delivery',
    sql: `select s.id as stake_id, s.status from bounty_stakes s left join payouts p on p.subject_id = s.id and p.state <> 'void'
          where (s.status = 'held') <> (p.id is null) or p.purpose <> 'refund' or p.amount_micros <> s.amount_micros
             or (s.status = 'returned' and ((p.destination <> s.payer and not ${isRedirected('p')}) or p.network <> s.network))
          union all
          select s.id, s.status from bounty_stakes s join bounty_claims c on c.id = s.claim_id join bounties b on b.id = c.bounty_id
          where s.status = 'forfeited' and (c.status <> 'accepted' or not exists (
            select 1 from order_steps t where t.order_id = b.order_id and t.command in (${forfeiting})))
          union all
          select min(s.id), s.status from bounty_stakes s join bounty_claims c on c.id = s.claim_id where s.status <> 'held'
          group by c.bounty_id, c.agent_id, s.status
          having count(*) <> (select count(*) from events e
            where e.type = 'bounty.stake_' || s.status and e.subject_id = c.bounty_id and e.agent_id = c.agent_id)`,
  },
];
