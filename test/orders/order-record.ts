/** All rows of an order as one text: if two texts are equal, nothing happened between them. */
import type { TestMarket } from '../harness/market.ts';

/** The query for each kind of rows of order $1. */
const parts: Readonly<Record<string, string>> = {
  order: 'select * from orders where id = $1',
  steps: 'select * from order_steps where order_id = $1 order by number',
  deliverables: 'select * from deliverables where order_id = $1 order by id',
  messages: 'select * from order_messages where order_id = $1 order by number',
  reads: 'select * from message_reads where order_id = $1 order by side',
  reviews: 'select * from reviews where order_id = $1',
  disputes: 'select * from disputes where order_id = $1 order by id',
  statements: 'select s.* from dispute_statements s join disputes d on d.id = s.dispute_id where d.order_id = $1 order by s.id',
  settlements: 'select * from settlements where order_id = $1',
  claims: 'select * from payment_claims where subject_id = $1 order by reference',
  payouts: 'select * from payouts where subject_id = $1 order by id',
  books: `select t.id, t.kind, a.kind as account, e.amount_micros from ledger_transfers t
          join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id
          where t.subject_id = $1 or a.owner = $1 order by t.id, a.id`,
  events: 'select * from events where subject_id = $1 order by id',
  notifications: 'select * from notifications where order_id = $1 order by id',
  timers: `select kind, payload, run_at from jobs where payload ->> 'order_id' = $1 order by id`,
  operators: 'select * from admin_actions where subject_id = $1 order by id',
};

const columns = Object.entries(parts).map(([name, rows]) => `'${name}', (select jsonb_agg(to_jsonb(r)) from (${rows}) r)`);

export async function recordOf({ database }: Pick<TestMarket, 'database'>, orderId: string): Promise<string> {
  const { rows } = await database.pool.query<{ record: string }>(`select jsonb_build_object(${columns.join(', ')})::text as record`, [
    orderId,
  ]);
  return rows[0]?.record ?? '';
}
