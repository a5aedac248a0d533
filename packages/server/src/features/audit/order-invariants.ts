/** Invariants of orders: history, money and events. Family N of the reliability plan. */
import { FOUND_RELEASED, orderDurations, orderLifecycle } from '@market/contract';
import type { Invariant } from './invariant.ts';
import { isRedirected } from './redirected.ts';

/** SQL rows of every legal step, from the contract's table. */
const legalSteps = orderLifecycle
  .flatMap(({ from, command, to }) => from.map((status) => `('${status}', '${command}', '${to}')`))
  .join(', ');

/** The event that each step must cause. Other steps have no promised event. */
const eventsOf: Readonly<Record<string, readonly string[]>> = {
  'order.created': ['place', 'hire'],
  'order.quoted': ['quote'],
  'order.accepted': ['accept'],
  'order.paid': ['pay'],
  'order.started': ['start'],
  'order.delivered': ['deliver', 'finish_workspace'],
  'order.completed': ['approve', 'auto_release', 'rule_release', 'rule_split'],
  'order.revision_requested': ['revision'],
  'order.revision_allowed': ['allow_revision'],
  'order.disputed': ['dispute', 'escalate'],
  'order.dispute_withdrawn': ['withdraw_dispute'],
  'order.reviewed': ['review'],
  'order.overdue': ['mark_overdue'],
  'order.cancelled': ['cancel', 'decline', 'refund', 'expire', 'contest', 'rule_refund'],
};
const promisedEvents = Object.entries(eventsOf)
  .flatMap(([event, commands]) => commands.map((command) => `('${event}', '${command}')`))
  .join(', ');

const fundedStates = `('paid', 'in_progress', 'delivered', 'revision_requested', 'disputed')`;

export const orderInvariants: readonly Invariant[] = [
  {
    id: 'N01',
    holds: 'an order holds in escrow what was paid for it until it is settled, and nothing otherwise',
    sql: `select o.id as order_id, o.status, coalesce(a.balance, 0)::text as held from orders o
          left join (select owner, sum(balance_micros) as balance from ledger_accounts where kind = 'escrow' group by owner) a on a.owner = o.id
          left join settlements s on s.order_id = o.id
          where coalesce(a.balance, 0) <> case when o.status in ${fundedStates} and s.order_id is null then o.paid_micros else 0 end`,
  },
  {
    id: 'N02',
    holds: 'a settlement shares out exactly what was paid, and the books moved by it',
    sql: `select o.id as order_id from orders o join settlements s on s.order_id = o.id
          left join ledger_transfers t on t.idempotency_key = 'settle:' || o.id
          where s.agent_micros + s.fee_micros + s.refund_micros <> o.paid_micros or (t.id is null and o.settlement = 'on_approval')
          union all
          select s.order_id from settlements s join ledger_transfers t on t.idempotency_key = 'settle:' || s.order_id
          join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id
          group by s.order_id, s.agent_micros, s.fee_micros, s.refund_micros
          having coalesce(sum(e.amount_micros) filter (where a.kind = 'agent_payable'), 0) <> s.agent_micros
              or coalesce(sum(e.amount_micros) filter (where a.kind = 'platform_fee'), 0) <> s.fee_micros
              or coalesce(sum(e.amount_micros) filter (where a.kind = 'refund_payable'), 0) <> s.refund_micros`,
  },
  {
    id: 'N03',
    holds:
      'the fee is a tenth, rounded half up: of a standard price, on top for machines and bounties; a split takes the same share of the rest',
    sql: `select o.id as order_id from orders o join settlements s on s.order_id = o.id
          where s.outcome = 'payout' and (s.fee_micros <> (o.price_micros + 5) / 10
             or s.agent_micros <> case o.kind when 'standard' then o.price_micros - s.fee_micros else o.price_micros end)
          union all
          select o.id from orders o join settlements s on s.order_id = o.id
          where s.outcome = 'split' and s.fee_micros <> case o.kind when 'standard' then (o.paid_micros - s.refund_micros + 5) / 10
            else div(2 * (o.paid_micros - s.refund_micros)::numeric * (o.paid_micros - o.price_micros) + o.paid_micros, 2 * o.paid_micros) end`,
  },
  {
    id: 'N04',
    holds: 'the end of an order agrees with its settlement; refund and payout exclude each other',
    sql: `select o.id as order_id, o.status, s.outcome from orders o left join settlements s on s.order_id = o.id
          where (o.status = 'completed' and o.settlement = 'on_approval' and coalesce(s.outcome, '') not in ('payout', 'split'))
             or (o.status = 'cancelled' and o.paid_micros > 0 and s.outcome is distinct from 'refund')
             or (o.status not in ('completed', 'cancelled') and s.order_id is not null and o.settlement = 'on_approval')
             or (s.outcome = 'payout' and s.refund_micros <> 0) or (s.outcome = 'refund' and s.agent_micros + s.fee_micros <> 0)`,
  },
  {
    id: 'N05',
    holds: 'every step of an order is legal and follows the step before, and the last one led to its current status',
    sql: `select t.order_id, t.number from (
            select s.*, lag(s.to_status) over w as before, lag(s.number) over w as previous from order_steps s window w as (partition by s.order_id order by s.number)) t
          left join (values ${legalSteps}) as l (from_status, command, to_status)
            on l.from_status = t.from_status and l.command = t.command and l.to_status = t.to_status
          where t.number <> coalesce(t.previous, 0) + 1
             or (t.number = 1) <> (t.from_status is null)
             or (t.number = 1 and not (t.command = 'place' and t.to_status in ('quoted', 'pending_quote')) and t.command not in ('hire', 'award'))
             or (t.number > 1 and (t.from_status is distinct from t.before or l.command is null))
          union all
          select o.id, null from orders o
          where o.status is distinct from (select to_status from order_steps s where s.order_id = o.id order by number desc limit 1)`,
  },
  {
    id: 'N06',
    holds: 'no order was released, expired, marked as overdue or escalated before its time',
    // Leave out releases that were found on chain after a restore: they were due in the lost books.
    sql: `select s.order_id, s.command from order_steps s join orders o on o.id = s.order_id
          where s.note is distinct from '${FOUND_RELEASED}' and ((s.command = 'auto_release' and s.at < o.review_deadline)
             or (s.command in ('expire', 'mark_overdue') and s.at < o.delivery_deadline)
             or (s.command = 'escalate' and s.at < (select max(d.at) from order_steps d where d.order_id = s.order_id and d.number < s.number
                                                    and d.command = 'revision') + interval '${orderDurations.revisionDays} days')
             or (s.command = 'auto_release' and s.at < (select max(d.at) from order_steps d where d.order_id = s.order_id and d.number < s.number
                                                        and d.command in ('deliver', 'finish_workspace', 'withdraw_dispute')) + interval '${orderDurations.leastReviewHours} hours'))`,
  },
  {
    id: 'N07',
    holds: 'no order stays behind a deadline that a timer should have acted on',
    sql: `select o.id as order_id, o.status from orders o
          where ((o.status = 'delivered' and o.review_deadline < market_now() - interval '2 minutes')
              or (o.status in ('paid', 'in_progress') and o.settlement = 'on_approval' and o.delivery_deadline < market_now() - interval '2 minutes')
              or (o.status in ('paid', 'in_progress') and o.settlement = 'instant' and o.overdue_since is null
                  and o.delivery_deadline < market_now() - interval '2 minutes')
              or (o.status = 'revision_requested' and o.revision_deadline < market_now() - interval '2 minutes')
              or (o.status = 'in_progress' and o.workspace_ends_at < market_now() - interval '2 minutes'))
            and not exists (select 1 from payment_claims c join chain_receipts r using (caip2, reference) where c.subject_id = o.id and r.finality = 'gone')`,
  },
  {
    id: 'N08',
    holds: 'the count of revisions equals the requested ones and never exceeds what was agreed',
    sql: `select o.id as order_id, o.revision_count from orders o
          where o.revision_count <> (select count(*) from order_steps s where s.order_id = o.id and s.command = 'revision')
             or o.revision_count > o.max_revisions + o.extra_revisions`,
  },
  {
    id: 'N09',
    holds: 'the used quota of a workspace equals its requests that did not fail',
    sql: `select o.id as order_id, o.quota_used from orders o
          where o.quota_used <> (select count(*) from deliverables d where d.order_id = o.id and d.is_request and d.status <> 'failed')
             or (o.quota_total > 0 and o.quota_used > o.quota_total)`,
  },
  {
    id: 'N10',
    holds: 'a review belongs to a completed order of unrelated parties',
    sql: `select r.order_id from reviews r join orders o on o.id = r.order_id where o.status <> 'completed' or o.related_party`,
  },
  {
    id: 'N13',
    holds: 'a paid order rests on exactly one claim, of its payer, network, reference and amount',
    sql: `select o.id as order_id from orders o
          left join payment_claims c on c.subject_id = o.id and c.purpose in ('order', 'x402', 'bounty')
          left join chain_receipts r using (caip2, reference)
          where o.paid_micros > 0
          group by o.id, o.paid_micros, o.payer, o.payment_network, o.payment_reference
          having count(c.*) <> 1 or max(c.price_micros) <> o.paid_micros or max(c.payer) <> o.payer
              or max(c.reference) <> o.payment_reference or max(r.network) <> o.payment_network
          union all
          select c.subject_id from payment_claims c join orders o on o.id = c.subject_id
          where c.purpose in ('order', 'x402', 'bounty') and o.paid_micros = 0`,
  },
  {
    id: 'N14',
    holds:
      'payouts of an order have the amounts of its settlement, and a refund goes to the payer unless an operator named another address',
    sql: `select p.subject_id as order_id, p.purpose from payouts p join orders o on o.id = p.subject_id left join settlements s on s.order_id = o.id
          where p.state <> 'void' and p.purpose in ('payout', 'refund')
            and (p.amount_micros is distinct from case p.purpose when 'payout' then s.agent_micros else s.refund_micros end
              or (p.purpose = 'refund' and ((p.destination is distinct from o.payer and not ${isRedirected('p')})
                or p.network is distinct from o.payment_network)))
          union all
          select s.order_id, 'missing' from settlements s
          where (s.agent_micros > 0 and not exists (select 1 from payouts p where p.subject_id = s.order_id and p.purpose = 'payout' and p.state <> 'void'))
             or (s.refund_micros > 0 and not exists (select 1 from payouts p where p.subject_id = s.order_id and p.purpose = 'refund' and p.state <> 'void'))`,
  },
  {
    id: 'V03',
    holds: 'every step that must be announced has its event exactly once, and no such event lacks its step',
    sql: `with promised as (select * from (values ${promisedEvents}) as p (event, command)),
               taken as (select s.order_id, p.event, count(*) as steps from order_steps s join promised p using (command) group by 1, 2),
               announced as (select e.subject_id as order_id, e.type as event, count(*) as events from events e
                        where e.type in (select event from promised) and e.subject_id in (select id from orders) group by 1, 2)
          select coalesce(t.order_id, e.order_id) as order_id, coalesce(t.event, e.event) as event, t.steps::int, e.events::int
          from taken t full join announced e using (order_id, event) where t.steps is distinct from e.events`,
  },
];
