/** Ways to spoil creator fees, and the invariant that must notice each. The market has receipts of tokens and a paid payout. */
import type { Corruption } from '../../money/corruptions.ts';

const aReceipt = `(select reference from creator_fee_receipts where mint is not null and lamports > 100 order by reference limit 1)`;
const whole = 'alter table creator_fee_receipts drop constraint creator_fee_receipts_whole';

export const feeCorruptions: readonly Corruption[] = [
  {
    what: 'a lamport moved from the agent to the partner',
    breaks: 'F01',
    sql: [
      `update creator_fee_receipts set agent_lamports = agent_lamports - 1, partner_lamports = partner_lamports + 1 where reference = ${aReceipt}`,
    ],
  },
  {
    what: 'a fee whose parts do not sum to it',
    breaks: 'F01',
    sql: [whole, `update creator_fee_receipts set buyback_lamports = buyback_lamports + 1 where reference = ${aReceipt}`],
  },
  { what: 'a receipt that is not in the books', breaks: 'F02', sql: [`delete from creator_fee_receipts where reference = ${aReceipt}`] },
  {
    what: 'a receipt for another token',
    breaks: 'F02',
    sql: [`update creator_fee_receipts set mint = 'Forged' where reference = ${aReceipt}`],
  },
  {
    what: 'a paid payout of another amount',
    breaks: 'F02',
    sql: [`update creator_fee_payouts set lamports = lamports + 1 where state = 'confirmed'`],
  },
  {
    what: 'a paid payout without its bytes',
    breaks: 'Q01',
    sql: [`delete from outgoing_attempts where intent_id in (select id from creator_fee_payouts where state = 'confirmed')`],
  },
  {
    what: 'a paid payout with another transaction',
    breaks: 'F03',
    sql: [`update creator_fee_payouts set reference = 'Forged' where state = 'confirmed'`],
  },
];
