/** Ways to spoil the books of Earn, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

const deployed = `(select id from earn_deposits where status = 'deployed' order by id limit 1)`;
const settled = `(select id from earn_withdrawals where status = 'settled' order by id limit 1)`;
const waiting = `(select id from earn_withdrawals where status = 'queued' order by queue_number limit 1)`;
const aPart = `(select id from earn_parts where withdrawal_id = ${settled} order by id limit 1)`;
const unguarded = 'alter table earn_movements disable trigger all';

export const earnCorruptions: readonly Corruption[] = [
  {
    what: 'a position with a share more than was minted',
    breaks: 'E01',
    sql: [`update earn_positions set shares = shares + 1 where shares > 0`],
  },
  {
    what: 'a vault that forgot shares',
    breaks: 'E01',
    sql: [`update earn_vaults set total_shares = total_shares - 1 where total_shares > 0`],
  },
  {
    what: 'a deposit minted twice',
    breaks: 'E02',
    sql: [
      `insert into earn_movements (vault_key, owner_kind, owner_id, kind, shares, units, principal_micros, micros, subject_id)
       select vault_key, owner_kind, owner_id, kind, shares, units, principal_micros, micros, subject_id from earn_movements
       where kind = 'deposit' and subject_id = ${deployed}`,
    ],
  },
  {
    what: 'a minted deposit that is refunded, too',
    breaks: 'E02',
    sql: [
      `insert into payouts (id, purpose, subject_id, network, destination, amount_micros)
       select 'pay_forged', 'earn_refund', id, network, payer, amount_micros from earn_deposits where id = ${deployed}`,
    ],
  },
  {
    what: 'more units minted than the venue gave',
    breaks: 'E02',
    sql: [`update earn_deposits set units = units + 1 where id = ${deployed}`],
  },
  {
    what: 'principal that no deposit paid',
    breaks: 'E03',
    sql: [`update earn_positions set principal_micros = principal_micros + 1 where shares > 0`],
  },
  {
    what: 'a movement that is gone',
    breaks: 'E03',
    sql: [unguarded, `delete from earn_movements where subject_id = ${settled} and kind = 'withdraw'`],
  },
  {
    what: 'units of the pool that nobody measured',
    breaks: 'E03',
    sql: [`update earn_vaults set total_units = total_units + 1 where total_shares > 0`],
  },
  {
    what: 'a withdrawal that received more than its parts',
    breaks: 'E04',
    sql: [`update earn_withdrawals set received_micros = received_micros + 1, status = 'paying', settled_at = null where id = ${settled}`],
  },
  {
    what: 'a payout to another wallet than the owner named',
    breaks: 'E04',
    sql: [`update payouts set destination = destination || '0' where id = (select payout_id from earn_parts where id = ${aPart})`],
  },
  {
    what: 'a part that paid other than the venue did',
    breaks: 'E04',
    sql: [`update earn_parts set assets_micros = assets_micros + 1 where id = ${aPart}`],
  },
  {
    what: 'a queue whose head was passed over',
    breaks: 'E05',
    sql: [
      `update earn_intents set queue_number = 1000000, created_at = market_now(), updated_at = market_now()
       where subject_id = ${settled} and state = 'confirmed' and exists (select 1 from earn_withdrawals where id = ${waiting})`,
    ],
  },
  {
    what: 'two open withdrawals of one owner',
    breaks: 'E09',
    sql: [
      'drop index earn_withdrawals_one_open',
      `insert into earn_withdrawals (id, vault_key, owner_kind, owner_id, shares, units, units_left, principal_micros, destination, slippage_bps)
       select 'wdr_forged', vault_key, owner_kind, owner_id, 1, 1, 1, 0, destination, 1 from earn_withdrawals where id = ${waiting}`,
    ],
  },
  {
    what: 'gains to come that no harvest brought',
    breaks: 'E10',
    sql: [`update earn_vaults set unvested_units = unvested_units + 1 where total_shares > 0`],
  },
  {
    what: 'a harvest that accrues before its time',
    breaks: 'E10',
    sql: [
      `insert into earn_harvests (vault_key, found_units, units, vested_units, began_at, ends_at)
       select key, 7000, 7000, 6000, market_now(), market_now() + interval '7 days' from earn_vaults where total_shares > 0 limit 1`,
      `update earn_vaults v set unvested_units = 1000 from earn_harvests h where h.vault_key = v.key`,
    ],
  },
  {
    what: 'a confirmed intent whose transaction is forgotten',
    breaks: 'Q01',
    sql: [`update outgoing_attempts set state = 'expired' where state = 'confirmed' and intent_id in (select id from earn_intents)`],
  },
  {
    what: 'a deploy that gave less than its bound',
    breaks: 'E06',
    sql: [`update earn_intents set min_out = result_units + 1 where kind = 'deposit' and state = 'confirmed'`],
  },
  {
    what: 'a deployed deposit whose money is still in the books',
    breaks: 'E07',
    sql: [
      `insert into ledger_accounts (kind, owner, network, balance_micros) select 'in_flight', id, network, 1 from earn_intents
       where kind = 'deposit' and state = 'confirmed' on conflict (kind, owner, network) do update set balance_micros = 1`,
    ],
  },
  {
    what: 'money owed to a withdrawal that no payout has reserved',
    breaks: 'E07',
    sql: [`update ledger_accounts set balance_micros = 1 where kind = 'earn_payable' and owner = ${settled}`],
  },
];
