/** Payments by bare reference: no money leaves while they can be contested, and a moved payment leaves no purchase behind. */
import type { Invariant } from './invariant.ts';

export const contestInvariants: readonly Invariant[] = [
  {
    id: 'P10',
    holds: 'no payout and no fee was taken from a payment that could still be contested',
    sql: `select c.caip2, c.reference, c.subject_id from payment_claims c join settlements s on s.order_id = c.subject_id
          where s.outcome <> 'refund' and s.at < c.contestable_until
          union all
          select c.caip2, c.reference, c.subject_id from payment_claims c
          join ledger_transfers t on t.idempotency_key = 'registration_earned:' || c.subject_id where t.posted_at < c.contestable_until`,
  },
  {
    id: 'P11',
    holds: 'a claim that moved left nothing behind: no money, no paid order, no settlement, no payout',
    sql: `select m.caip2, m.reference, m.from_subject_id from payment_claim_moves m
          where exists (select 1 from ledger_accounts a where a.kind = 'escrow' and a.owner = m.from_subject_id and a.balance_micros <> 0)
             or exists (select 1 from orders o where o.id = m.from_subject_id and (o.status <> 'cancelled' or o.paid_micros <> 0))
             or exists (select 1 from settlements s where s.order_id = m.from_subject_id)
             or exists (select 1 from payouts p where p.subject_id = m.from_subject_id and p.state <> 'void')
             or not exists (select 1 from ledger_transfers t
                            where t.idempotency_key = 'give_up:' || m.caip2 || '/' || m.reference || ':' || m.number)`,
  },
  {
    id: 'P12',
    holds: 'a moved claim is where its last move put it',
    sql: `select c.caip2, c.reference, c.subject_id from payment_claims c
          join lateral (select * from payment_claim_moves m where m.caip2 = c.caip2 and m.reference = c.reference
                        order by m.number desc limit 1) m on true
          where (c.subject_id, c.purpose, c.price_micros) <> (m.to_subject_id, m.to_purpose, m.to_price_micros) or c.proof = 'bare'`,
  },
];
