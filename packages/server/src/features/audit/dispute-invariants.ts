/** Invariants of disputes and of operator actions: families D and M, in addition to those of the reliability plan. */
import type { Invariant } from './invariant.ts';

export const disputeInvariants: readonly Invariant[] = [
  {
    id: 'D01',
    holds: 'a disputed order has exactly one open dispute, and an open dispute a disputed order',
    sql: `select o.id as order_id, o.status, count(d.id)::int as open_disputes from orders o left join disputes d on d.order_id = o.id and d.state = 'open'
          group by o.id having count(d.id) <> case when o.status = 'disputed' then 1 else 0 end`,
  },
  {
    id: 'D02',
    holds: 'the money of a ruled order was shared out as ruled, and every ruling has its dispute',
    sql: `select d.id as dispute_id, d.ruling, s.outcome from disputes d join orders o on o.id = d.order_id left join settlements s on s.order_id = o.id
          where d.state = 'ruled'
            and (o.status <> case d.ruling when 'refund' then 'cancelled' else 'completed' end
              or (o.settlement = 'on_approval'
                and (s.outcome is distinct from case d.ruling when 'release' then 'payout' else d.ruling end or s.refund_micros is distinct from d.refund_micros)))
          union all
          select t.order_id, t.command, null from order_steps t
          where t.command in ('rule_release', 'rule_refund', 'rule_split')
            and not exists (select 1 from disputes d where d.order_id = t.order_id and d.state = 'ruled' and 'rule_' || d.ruling = t.command)`,
  },
  {
    id: 'D03',
    holds: 'every ruling has one event and an entry in the operators’ log, with its reason',
    sql: `select d.id as dispute_id from disputes d where d.state = 'ruled'
            and ((select count(*) from events e where e.type = 'order.dispute_ruled' and e.subject_id = d.order_id
                    and e.data->>'ruling' = d.ruling and e.data->>'reason' = d.ruling_reason) <> 1
              or (select count(*) from admin_actions a where a.action = 'dispute.ruled' and a.subject_id = d.order_id
                    and a.admin = d.ruled_by and a.reason = d.ruling_reason) <> 1)`,
  },
  {
    id: 'D04',
    holds: 'no statement is older than its dispute or later than its deadline',
    sql: `select s.id as statement_id from dispute_statements s join disputes d on d.id = s.dispute_id
          where s.created_at < d.opened_at or s.created_at >= least(d.evidence_until, coalesce(d.closed_at, d.evidence_until))`,
  },
  {
    id: 'M01',
    holds:
      'agents and bounties are marked as banned exactly when their owner is, and services are listed only with their agent, on its chain',
    sql: `select a.id, 'agent' as kind from agents a where a.owner_banned <> is_person_banned(a.owner_user_id, a.owner_wallet)
          union all
          select s.id, 'service' from services s join agents a on a.id = s.agent_id where s.agent_listed <> is_agent_listed(a)
            or s.agent_chain <> coalesce(a.payout_chain, 'solana')
          union all
          select b.id, 'bounty' from bounties b where b.poster_banned <> is_person_banned(b.user_id, b.client_wallet)`,
  },
];
