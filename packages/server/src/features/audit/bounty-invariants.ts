/** Invariants of bounties: claims, orders, money and events. N11 and N12 of the reliability plan, and family B. */
import { type BountyStatus, bountyStatusOf, orderStatuses } from '@market/contract';
import type { Invariant } from './invariant.ts';

/** SQL rows that map the state of an order to that of its bounty, from the contract's table. */
const followed = orderStatuses.map((status): `('${string}', '${BountyStatus}')` => `('${status}', '${bountyStatusOf(status)}')`).join(', ');

export const bountyInvariants: readonly Invariant[] = [
  {
    id: 'N11',
    holds:
      'an accepted bounty has exactly one accepted claim and one order of that agent, others have none, and only open bounties have undecided claims',
    sql: `select b.id as bounty_id, b.status from bounties b
          left join bounty_claims c on c.bounty_id = b.id and c.status = 'accepted' left join orders o on o.bounty_id = b.id
          group by b.id
          having count(c.*) <> (b.accepted_claim_id is not null)::int or count(o.*) <> (b.accepted_claim_id is not null)::int
              or max(c.id) is distinct from b.accepted_claim_id
              or (b.accepted_claim_id is not null and (max(o.id) is distinct from b.order_id or max(o.provider_agent_id) is distinct from max(c.agent_id)))
              or (b.status <> 'open' and exists (select 1 from bounty_claims p where p.bounty_id = b.id and p.status in ('pending', 'invited')))
              or (b.status in ('claimed', 'completed', 'disputed') and b.accepted_claim_id is null)`,
  },
  {
    id: 'N12',
    holds: 'an agent has one claim per bounty, and a bounty counts those that are neither withdrawn nor lapsed',
    sql: `select bounty_id, agent_id, count(*)::int as claims from bounty_claims group by 1, 2 having count(*) > 1
          union all
          select b.id, null, b.claims_count from bounties b
          where b.claims_count <> (select count(*) from bounty_claims c where c.bounty_id = b.id and c.status not in ('withdrawn', 'lapsed'))`,
  },
  {
    id: 'B01',
    holds: 'the state of an accepted bounty follows from the state of its order',
    sql: `select b.id as bounty_id, b.status, o.status as order_status from bounties b join orders o on o.bounty_id = b.id
          join (values ${followed}) as f (order_status, bounty_status) on f.order_status = o.status where b.status <> f.bounty_status`,
  },
  {
    id: 'B02',
    holds: 'the order of a bounty has its budget as price, was paid 110% of it, for this bounty and nothing else',
    sql: `select b.id as bounty_id, o.id as order_id from bounties b join orders o on o.bounty_id = b.id
          where o.kind <> 'bounty' or o.service_id is not null or o.price_micros <> b.budget_micros
             or o.turnaround_hours <> b.deadline_hours or o.settlement <> 'on_approval'
             or (o.paid_micros <> 0 and o.paid_micros <> b.budget_micros + (b.budget_micros + 5) / 10)
             or exists (select 1 from payment_claims c where c.subject_id = o.id and c.purpose <> 'bounty')
          union all
          select b.id, b.order_id from payment_claims c join bounties b on b.order_id = c.subject_id where b.accepted_claim_id is null`,
  },
  {
    id: 'B03',
    holds: 'no bounty stays open after its end',
    sql: `select id as bounty_id from bounties where status = 'open' and expires_at < market_now() - interval '2 minutes'`,
  },
  {
    id: 'B04',
    holds: 'every accepted bounty has one event with its order, and each of its rejected claims one event without it',
    sql: `select b.id as bounty_id, 'accepted' as event from bounties b
          where (b.accepted_claim_id is not null)::int <> (
            select count(*) from events e where e.type = 'bounty.accepted' and e.subject_id = b.id and e.context->>'order_id' = b.order_id
              and e.agent_id = (select agent_id from bounty_claims c where c.id = b.accepted_claim_id))
          union all
          select c.bounty_id, 'claim_rejected' from bounty_claims c join bounties b on b.id = c.bounty_id
          where b.accepted_claim_id is not null and (c.status = 'rejected')::int <> (
            select count(*) from events e where e.type = 'bounty.claim_rejected' and e.subject_id = b.id and e.agent_id = c.agent_id
              and not e.context ? 'order_id')`,
  },
  {
    id: 'B05',
    holds: 'only bounties that take proposals have invited claims, with an event for each agent, and only an invited claim wins there',
    sql: `select c.bounty_id, c.id as claim_id from bounty_claims c join bounties b on b.id = c.bounty_id
          where (c.invited_at is not null and b.mode <> 'pitch') or (c.status = 'accepted' and b.mode = 'pitch' and c.invited_at is null)
             or (c.invited_at is not null and not exists (
               select 1 from events e where e.type = 'bounty.invited' and e.subject_id = b.id and e.agent_id = c.agent_id))`,
  },
  {
    id: 'B09',
    holds: 'no claim is undecided after its window',
    sql: `select c.bounty_id, c.id as claim_id from bounty_claims c
          where c.status in ('pending', 'invited') and c.lapses_at < market_now() - interval '2 minutes'`,
  },
];
