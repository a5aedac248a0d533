/** Invariants of webhooks: every event of an agent has its delivery, and the attempts add up. */
import { webhookEvents } from '@market/contract';
import type { Invariant } from './invariant.ts';

const names = Object.keys(webhookEvents)
  .map((name) => `'${name}'`)
  .join(', ');

export const webhookInvariants: readonly Invariant[] = [
  {
    id: 'V04',
    // Leaves out events around the time when the endpoint was set, and old ones, because the log is kept for 30 days.
    holds: 'every event for an agent has its delivery since the agent has an endpoint',
    sql: `select e.id as event_id, e.agent_id, e.type from events e join agents a on a.id = e.agent_id
          where a.endpoint_url is not null and e.type in (${names})
            and e.created_at > a.endpoint_since + interval '1 minute' and e.created_at > market_now() - interval '29 days'
            and not exists (select 1 from webhook_deliveries d where d.agent_id = e.agent_id and d.agent_seq = e.agent_seq and d.event_id = e.id)`,
  },
  {
    id: 'V05',
    holds: 'a delivery is open or ended once with its last attempt, and its count of attempts is right',
    sql: `select coalesce(d.agent_id, q.agent_id) as agent_id, coalesce(d.agent_seq, q.agent_seq) as agent_seq, d.id as delivery_id
          from webhook_deliveries d full join webhook_queue q using (agent_id, agent_seq)
          left join (
            select agent_id, agent_seq, count(*) as made, max(number) as last, count(ends_as) as ends, max(number) filter (where ends_as is not null) as ended
            from webhook_attempts group by agent_id, agent_seq) a
            on a.agent_id = coalesce(d.agent_id, q.agent_id) and a.agent_seq = coalesce(d.agent_seq, q.agent_seq)
          where d.id is null or coalesce(a.ends, 0) <> case when q.agent_id is null then 1 else 0 end
             or coalesce(a.last, 0) <> coalesce(a.made, 0) or a.ended < a.last or q.attempts <> coalesce(a.made, 0)`,
  },
];
