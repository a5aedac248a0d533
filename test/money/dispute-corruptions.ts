/** Ways to spoil disputes, rulings and bans that are sound, and the invariant that must notice each. */
import type { Corruption } from './corruptions.ts';

const ruled = (ruling: string) => `(select order_id from disputes where ruling = '${ruling}' limit 1)`;
const anOpen = `(select order_id from disputes where state = 'open' limit 1)`;
const unguard = (table: string) => `alter table ${table} disable trigger all`;

export const disputeCorruptions: readonly Corruption[] = [
  {
    what: 'a disputed order whose dispute is closed',
    breaks: 'D01',
    sql: [`update disputes set state = 'withdrawn', closed_at = market_now() where order_id = ${anOpen}`],
  },
  {
    what: 'an open dispute of an order that goes on',
    breaks: 'D01',
    sql: [`update orders set status = 'delivered' where id = ${anOpen}`],
  },
  {
    what: 'a second open dispute of one order',
    breaks: 'D01',
    sql: [
      'drop index disputes_one_open',
      `insert into disputes (id, order_id, opened_by, reason, evidence_until, ruling_due)
       select 'dsp_second', order_id, opened_by, reason, evidence_until, ruling_due from disputes where order_id = ${anOpen}`,
    ],
  },
  {
    what: 'a release that was settled as a refund',
    breaks: 'D02',
    sql: [`update settlements set outcome = 'refund' where order_id = ${ruled('release')}`],
  },
  {
    what: 'a refund that was turned into a release afterwards',
    breaks: 'D02',
    sql: [`update disputes set ruling = 'release' where order_id = ${ruled('refund')}`],
  },
  {
    what: 'a split of another amount than ruled',
    breaks: 'D02',
    sql: [`update disputes set refund_micros = refund_micros + 1 where order_id = ${ruled('split')}`],
  },
  {
    what: 'a ruling whose dispute says it was withdrawn',
    breaks: 'D02',
    sql: [`update disputes set state = 'withdrawn', ruling = null where order_id = ${ruled('split')}`],
  },
  {
    what: 'a ruling that is not on the operators’ record',
    breaks: 'D03',
    sql: [unguard('admin_actions'), `delete from admin_actions where subject_id = ${ruled('split')}`],
  },
  {
    what: 'a reason of a ruling that was reworded later',
    breaks: 'D03',
    sql: [`update disputes set ruling_reason = 'Because.' where order_id = ${ruled('release')}`],
  },
  {
    what: 'a ruling nobody was told of',
    breaks: 'D03',
    sql: [unguard('events'), `delete from events where type = 'order.dispute_ruled' and subject_id = ${ruled('refund')}`],
  },
  {
    what: 'a statement slipped in after the ruling',
    breaks: 'D04',
    sql: [
      `insert into dispute_statements (id, dispute_id, side, author, statement, created_at)
       select 'stm_late', id, 'buyer', 'market', 'One more thing.', market_now() from disputes where order_id = ${ruled('release')}`,
    ],
  },
  {
    what: 'an agent of a banned owner that is on sale',
    breaks: 'M01',
    sql: ['update agents set owner_banned = false where owner_banned'],
  },
  {
    what: 'a service on sale without its agent',
    breaks: 'M01',
    sql: ['update services set agent_listed = true where not agent_listed'],
  },
  {
    what: 'a service on another chain than its agent',
    breaks: 'M01',
    sql: [`update services set agent_chain = case agent_chain when 'base' then 'solana' else 'base' end`],
  },
  {
    what: 'an agent hidden though its owner is not banned',
    breaks: 'M01',
    sql: ['update agents set owner_banned = true where not owner_banned'],
  },
];
