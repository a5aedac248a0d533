/** Invariants of hires paid at once and delivered late: their marks, and the hold after two of them. Family N of the reliability plan. */
import { instantPayoutRule } from '@market/contract';
import type { Invariant } from './invariant.ts';

const { overdueOrders, withinDays } = instantPayoutRule;

/** Agents whose overdue orders hold later hires. The rule is written a second time on purpose, because it is what we check. */
const holding = `
  select o.provider_agent_id as agent_id from orders o
  where o.overdue_since is not null and o.overdue_cleared_at is null and o.status <> 'cancelled' and not o.related_party
    and exists (select 1 from orders f where f.provider_agent_id = o.provider_agent_id and not f.related_party
                  and f.overdue_since between o.overdue_since - interval '${withinDays} days' and o.overdue_since
                  and ${overdueOrders} <= (select count(*) from orders c where c.provider_agent_id = o.provider_agent_id and not c.related_party
                                           and c.overdue_since between f.overdue_since and f.overdue_since + interval '${withinDays} days'))
  group by 1`;

export const overdueInvariants: readonly Invariant[] = [
  {
    id: 'N15',
    holds: 'an order is overdue by one step of its history, after the provider was paid at hire, until it was delivered',
    sql: `select o.id as order_id from orders o left join settlements s on s.order_id = o.id
          where (select count(*) from order_steps t where t.order_id = o.id and t.command = 'mark_overdue') <> (o.overdue_since is not null)::int
             or (o.overdue_since is not null and (o.settlement <> 'instant' or s.outcome is distinct from 'payout' or o.overdue_since <> o.delivery_deadline))
             or (o.overdue_cleared_at is not null) <> (o.overdue_since is not null and exists (
                  select 1 from order_steps d join order_steps m on m.order_id = d.order_id and m.command = 'mark_overdue'
                  where d.order_id = o.id and d.command = 'deliver' and d.number > m.number))`,
  },
  {
    id: 'N16',
    holds: 'payouts of later hires of an agent are held exactly while its overdue orders demand it',
    sql: `select a.id as agent_id, a.payout_held_since from agents a left join (${holding}) h on h.agent_id = a.id
          where (a.payout_held_since is not null) <> (h.agent_id is not null)`,
  },
  {
    id: 'N17',
    // A hire that began just before the hold may still have its old terms.
    holds: 'no hire was paid at once while hires of its agent were held',
    sql: `select o.id as order_id from orders o join agents a on a.id = o.provider_agent_id
          where o.settlement = 'instant' and o.created_at > a.payout_held_since + interval '1 minute'`,
  },
];
