/** Invariants of spend policies: every counted payment bought something once, within its budget session and with its approval. */
import type { Invariant } from './invariant.ts';

export const spendingInvariants: readonly Invariant[] = [
  {
    id: 'G01',
    holds: 'every counted payment bought something that exists',
    sql: `select s.id as spending_id, s.bought_kind, s.bought_id from spendings s where s.status = 'kept' and not case
            when s.bought_kind in ('order', 'x402', 'bounty') then exists (select 1 from orders o where o.id = s.bought_id)
            when s.bought_kind = 'registration' then exists (select 1 from agents a where a.id = s.bought_id)
            when s.bought_kind = 'earn_deposit' then exists (select 1 from earn_deposits d where d.id = s.bought_id)
            when s.bought_kind = 'movement' then exists (select 1 from wallet_movements m where m.id = s.bought_id)
            else false end`,
  },
  {
    id: 'G02',
    holds: 'the payments of a budget session never exceed it, and are of its own machine',
    sql: `select b.id as budget_id, sum(s.amount_micros)::text as used from spend_budgets b
          join spendings s on s.budget_id = b.id and s.status in ('reserved', 'kept')
          group by b.id having sum(s.amount_micros) > b.amount_micros or bool_or(s.principal <> b.owner)`,
  },
  {
    id: 'G03',
    holds: 'a used approval let one payment pass: of its machine and operation, for at most its amount',
    sql: `select a.id as approval_id, a.status, s.id as spending_id from spend_approvals a
          left join spendings s on s.id = a.spending_id
          where a.status = 'used' and (s.id is null or s.status not in ('reserved', 'kept') or s.approval_id is distinct from a.id
            or s.principal <> a.principal or s.operation <> a.operation or s.amount_micros > a.amount_micros)
          union all
          select a.id, a.status, s.id from spendings s join spend_approvals a on a.id = s.approval_id
          where s.status in ('reserved', 'kept') and a.spending_id is distinct from s.id`,
  },
  {
    id: 'G04',
    holds: 'every payment counts against the limits of the machine that made it',
    sql: `select s.id as spending_id, s.principal from spendings s where not exists (
            select 1 from spending_subjects x where x.spending_id = s.id and (x.subject_kind || ':' || x.subject_id = s.principal
              -- A connection counts for its program. Those that ended long ago are deleted.
              or (x.subject_kind = 'connection' and coalesce((select c.program_id = x.subject_id from connections c
                where 'connection:' || c.id = s.principal), true))))`,
  },
  {
    id: 'G05',
    holds: 'no purchase counts twice for one machine, and no payment has two reservations',
    sql: `select principal, bought_id as what, count(*)::int as times from spendings where status = 'kept' group by principal, bought_id having count(*) > 1
          union all
          select principal, reference, count(*)::int from spendings where status = 'reserved' group by principal, reference having count(*) > 1`,
  },
  {
    id: 'G06',
    holds: 'a payment counts with the amount that was paid',
    sql: `select s.id as spending_id, s.amount_micros::text as counted, o.paid_micros::text as paid from spendings s join orders o on o.id = s.bought_id
          where s.status = 'kept' and s.bought_kind in ('order', 'x402', 'bounty') and s.amount_micros < o.paid_micros`,
  },
  {
    id: 'G07',
    holds: 'every order that a machine paid under a reservation counts',
    // The history of an order names the machine that paid. For a machine's hire it names the payer, and the order names the agent.
    sql: `with paid as (
            select 'transfer ' || c.caip2 || ' ' || c.reference as reference, c.subject_id as order_id, c.claimed_at as at
            from payment_claims c where c.purpose in ('order', 'bounty', 'x402')
            union all
            select 'payment ' || p.caip2 || ' ' || p.alias, p.subject_id, p.updated_at
            from x402_payments p where p.purpose = 'x402' and p.state = 'settled')
          select s.id as spending_id, p.order_id from paid p
          join spendings s on s.reference = p.reference and s.created_at <= p.at
            and (s.status = 'kept' or (s.status = 'released' and s.settled_at >= p.at))
          join orders o on o.id = p.order_id
          where (exists (select 1 from order_steps h where h.order_id = o.id and h.command in ('pay', 'award') and h.actor = s.principal)
              or (o.kind = 'machine' and exists (select 1 from spending_subjects x
                  where x.spending_id = s.id and x.subject_kind = 'agent' and x.subject_id = o.client_agent_id)))
            and not exists (select 1 from spendings k where k.bought_id = p.order_id and k.status = 'kept')`,
  },
  {
    id: 'G08',
    holds: 'no agent that a program registered outlives its connection, unless the person keeps it',
    // A job ends expired connections a little later.
    sql: `select a.id as agent_id, c.id as connection_id from agents a join connections c on c.id = a.stops_with
          where c.revoked_at is not null or c.expires_at < clock_timestamp() - interval '1 hour'`,
  },
  {
    id: 'G09',
    holds: 'every connection counts against the limits of its own person and program',
    sql: `select c.id as connection_id, c.program_id from connections c join connected_programs p on p.id = c.program_id
          where p.person <> c.person or p.client_id <> c.client_id`,
  },
  {
    id: 'G10',
    holds: 'a payment by an agent counts also against the limits of the program or agent that registered it',
    sql: `select s.id as spending_id, a.id as agent_id, made.by from spendings s
          join agents a on s.principal = 'agent:' || a.id cross join lateral unnest(a.created_by) as made (by)
          where s.status in ('reserved', 'kept') and not exists (
            select 1 from spending_subjects x where x.spending_id = s.id
              and case x.subject_kind when 'connection' then 'program:' else 'agent:' end || x.subject_id = made.by)`,
  },
  {
    id: 'G11',
    holds: 'the program or agent that registered an agent exists',
    sql: `select a.id as agent_id, made.by from agents a cross join lateral unnest(a.created_by) as made (by)
          where not exists (select 1 from agents b where 'agent:' || b.id = made.by and b.id <> a.id)
            and not exists (select 1 from connected_programs p where 'program:' || p.id = made.by)`,
  },
  {
    id: 'G12',
    holds: 'only accounts that were asked for approval decide about a payment',
    sql: `select id as approval_id, deciders, asked_of from spend_approvals where cardinality(deciders) = 0 or not deciders <@ asked_of`,
  },
];
