/** Ways to spoil claim stakes that are sound, and the invariant that must notice each. */
import type { Corruption } from './corruptions.ts';

const unguard = (table: string) => `alter table ${table} disable trigger all`;
const aStake = (status: string) => `(select id from bounty_stakes where status = '${status}' order by id limit 1)`;

export const stakeCorruptions: readonly Corruption[] = [
  {
    what: 'a held stake that is missing on its account',
    breaks: 'B06',
    sql: [unguard('ledger_accounts'), `update ledger_accounts set balance_micros = balance_micros - 1 where owner = ${aStake('held')}`],
  },
  {
    what: 'a returned stake that still stands on its account',
    breaks: 'B06',
    sql: [
      unguard('ledger_accounts'),
      `update ledger_accounts set balance_micros = 100000 where kind = 'escrow' and owner = ${aStake('returned')}`,
    ],
  },
  {
    what: 'an account of a stake that does not exist',
    breaks: 'B06',
    sql: [
      unguard('ledger_accounts'),
      `insert into ledger_accounts (kind, owner, network, balance_micros) values ('escrow', 'stk_nobody', 'base-mainnet', 5)`,
    ],
  },
  {
    what: 'a decided stake of an undecided claim',
    breaks: 'B07',
    sql: [
      `update bounty_stakes set status = 'returned', decided_at = market_now() where id = (
             select stake_id from bounty_claims where status = 'pending' and stake_id is not null order by id limit 1)`,
    ],
  },
  {
    what: 'a held stake of a rejected claim',
    breaks: 'B07',
    sql: [
      `update bounty_stakes set status = 'held', decided_at = null where id = (
             select stake_id from bounty_claims where status = 'rejected' and stake_id is not null order by id limit 1)`,
    ],
  },
  {
    what: 'a claim without the stake that its bounty takes',
    breaks: 'B07',
    sql: [`update bounty_claims set stake_id = null where stake_id = ${aStake('held')}`],
  },
  {
    what: 'a stake of another amount than the bounty takes',
    breaks: 'B07',
    sql: [`update bounty_stakes set amount_micros = amount_micros + 1 where id = ${aStake('held')}`],
  },
  {
    what: 'a stake that no transfer paid',
    breaks: 'B07',
    sql: [unguard('payment_claims'), `update payment_claims set purpose = 'order' where subject_id = ${aStake('held')}`],
  },
  {
    what: 'a stake that another wallet than its payer gets back',
    breaks: 'B08',
    sql: [`update payouts set destination = '0x000000000000000000000000000000000000dEaD' where subject_id = ${aStake('returned')}`],
  },
  {
    what: 'a returned stake that never left',
    breaks: 'B08',
    sql: [`update payouts set state = 'void', reference = null where subject_id = ${aStake('returned')}`],
  },
  {
    what: 'a stake that is forfeited without an expired order',
    breaks: 'B08',
    sql: [`update bounty_stakes set status = 'forfeited' where id = ${aStake('returned')}`],
  },
  {
    what: 'a returned stake whose agent was not told',
    breaks: 'B08',
    sql: [unguard('events'), `delete from events where id = (select min(id) from events where type = 'bounty.stake_returned')`],
  },
];
