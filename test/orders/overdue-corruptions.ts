/** Ways to spoil orders that are overdue, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

const anOverdue = `(select id from orders where overdue_since is not null and overdue_cleared_at is null order by id limit 1)`;
const aLate = `(select id from orders where overdue_cleared_at is not null order by id limit 1)`;
const unguard = 'alter table order_steps disable trigger all';

export const overdueCorruptions: readonly Corruption[] = [
  {
    what: 'a deadline that passed unnoticed',
    breaks: 'N07',
    sql: [`update orders set overdue_since = null where id = ${anOverdue}`],
  },
  { what: 'a mark without a step', breaks: 'N15', sql: [unguard, `delete from order_steps where command = 'mark_overdue'`] },
  { what: 'a step without a mark', breaks: 'N15', sql: [`update orders set overdue_since = null where id = ${anOverdue}`] },
  {
    what: 'a mark of an order whose money is held',
    breaks: 'N15',
    sql: [`update orders set settlement = 'on_approval' where id = ${anOverdue}`],
  },
  {
    what: 'an overdue order cleared without a delivery',
    breaks: 'N15',
    sql: [`update orders set overdue_cleared_at = market_now() where id = ${anOverdue}`],
  },
  { what: 'a late delivery that cleared nothing', breaks: 'N15', sql: [`update orders set overdue_cleared_at = null where id = ${aLate}`] },
  {
    what: 'a mark before its time',
    breaks: 'N06',
    sql: [unguard, `update order_steps set at = at - interval '1 day' where command = 'mark_overdue'`],
  },
  {
    what: 'hires that should be held',
    breaks: 'N16',
    sql: [`update agents set payout_held_since = null where payout_held_since is not null`],
  },
  {
    what: 'hires held without a reason',
    breaks: 'N16',
    sql: [`update agents set payout_held_since = market_now() where payout_held_since is null`],
  },
  {
    what: 'a hire paid at once although hires were held',
    breaks: 'N17',
    sql: [`update orders set settlement = 'instant' where kind = 'machine' and settlement = 'on_approval'`],
  },
  {
    what: 'a flattered figure of punctuality',
    breaks: 'V09',
    sql: [`update agent_figures set overdue_orders = 0 where overdue_orders > 0`],
  },
];
