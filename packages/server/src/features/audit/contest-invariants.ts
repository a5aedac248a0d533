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
    holds: 'the former purchase of a moved payment claim has no money, paid order, settlement or payout left',
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
    holds: 'a moved payment claim belongs to the purchase of its last move',
    sql: `select c.caip2, c.reference, c.subject_id from payment_claims c
          join lateral (select * from payment_claim_moves m where m.caip2 = c.caip2 and m.reference = c.reference
                        order by m.number desc limit 1) m on true
          where (c.subject_id, c.purpose, c.price_micros) <> (m.to_subject_id, m.to_purpose, m.to_price_micros) or c.proof = 'bare'`,
  },
  {
    id: 'P13',
    holds: 'every bare transfer that bought something has its first presenter on record until the payer proves itself',
    sql: `select c.caip2, c.reference, c.subject_id from payment_claims c
          left join bare_presentations p using (caip2, reference)
          where c.proof = 'bare' and (p.subject_id is distinct from c.subject_id or p.payer is distinct from c.payer or p.ended_at is not null)`,
  },
  {
    id: 'P14',
    holds:
      'after the payer proved itself, the first presenter is not the buyer and keeps no stored answer, policy count or order token of a moved order',
    sql: `select p.caip2, p.reference, p.subject_id from bare_presentations p
          where p.ended_by = 'proof' and (
            exists (select 1 from orders o join payment_claims c on c.subject_id = o.id
                    where o.id = p.subject_id and o.client_agent_id is not null and c.proof <> 'reference')
            or exists (select 1 from order_tokens t where t.order_id = p.subject_id and t.holder = 'presenter' and t.ended_at is null)
            or exists (select 1 from order_tokens t join orders o on o.id = t.order_id
                       where t.order_id = p.subject_id and t.ended_at is null and o.status = 'cancelled' and o.paid_micros = 0)
            or exists (select 1 from idempotency_keys k where k.scope = regexp_replace(p.answer_name, ' [^ ]+$', '') and k.key = substring(p.answer_name from '[^ ]+$')
                       and k.expires_at <= p.presented_at + interval '1 day')
            or exists (select 1 from spendings s where s.bought_id = p.subject_id and s.status = 'kept'
                       and s.reference = 'transfer ' || p.caip2 || ' ' || p.reference)
            or exists (select 1 from agents a where a.id = p.subject_id and a.active and not a.owner_proven))`,
  },
];
