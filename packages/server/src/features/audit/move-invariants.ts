/** Invariants of waiting moves: each has its time, and happens once and not earlier. */
import type { Invariant } from './invariant.ts';

export const moveInvariants: readonly Invariant[] = [
  {
    id: 'W01',
    holds: 'every waiting or ready move has a job at its time',
    sql: `select m.id as move_id, m.state from delayed_moves m where m.state in ('waiting', 'ready')
            and not exists (select 1 from jobs j where j.unique_key = 'move.run:' || m.id)`,
  },
  {
    id: 'W02',
    holds: 'every done send or withdrawal has its movement, of the same agent or owner and to the same destination; other moves have none',
    sql: `select m.id as move_id, m.state, m.result_id from delayed_moves m
          left join wallet_movements w on m.kind = 'wallet_send' and w.id = m.result_id
          left join wallet_log l on l.movement_id = w.id
          left join earn_withdrawals e on m.kind = 'earn_withdrawal' and e.id = m.result_id
          where (m.result_id is not null) <> (m.state = 'done' and m.kind in ('wallet_send', 'earn_withdrawal'))
             or (m.state = 'done' and m.kind = 'wallet_send' and (w.id is null or w.agent_id <> m.agent_id or w.purpose <> 'send'
               or w.destination <> m.payload->>'destination' or w.network <> m.payload->>'network' or l.ordered_by <> case when m.owner like 'wallet:%' then 'owner_wallet' else 'owner_account' end))
             or (m.state = 'done' and m.kind = 'earn_withdrawal' and (e.id is null or e.destination <> m.payload->>'destination'
               or e.vault_key <> m.payload->>'key' or e.owner_id <> m.payload->'owner'->>'id'))
          union all
          -- Several may have joined one withdrawal, each with a burn of its own.
          select m.result_id, 'done', m.result_id from delayed_moves m where m.kind = 'earn_withdrawal' and m.state = 'done' group by m.result_id
          having count(*) > (select count(*) from earn_movements b where b.subject_id = m.result_id and b.kind = 'withdraw')`,
  },
  {
    id: 'W03',
    holds: 'no move took effect before its time, and a key can be fetched only after the wait',
    sql: `select m.id as move_id, m.state from delayed_moves m
          left join wallet_movements w on w.id = m.result_id
          where (m.state = 'done' and m.ended_at < m.effective_at) or m.ready_until < m.effective_at
             or w.created_at < m.effective_at
             -- It may have joined an older withdrawal: the burn counts.
             or (m.kind = 'earn_withdrawal' and m.state = 'done' and not exists (select 1 from earn_movements b
               where b.subject_id = m.result_id and b.kind = 'withdraw' and b.at >= m.effective_at))
             or (m.kind = 'key_export' and m.state in ('ready', 'done') and m.ready_until is null)`,
  },
  {
    id: 'W04',
    holds: 'every ended move has exactly one event about its end, of the right type',
    sql: `select m.id as move_id, m.state, count(e.*)::int as ends from delayed_moves m
          left join events e on e.subject_id = m.id and e.type in ('move.done', 'move.cancelled', 'move.failed')
          group by m.id having count(e.*) <> case when m.state in ('waiting', 'ready') then 0 else 1 end
             or count(e.*) filter (where e.type <> 'move.' || m.state) > 0`,
  },
];
