/** Invariants of creator fees: receipts, shares and payouts agree with the books, to the lamport. */
import { creatorFeeSplit, type FeePath } from '@market/contract';
import type { Invariant } from './invariant.ts';

/** The contract's table of fee shares as SQL rows. */
const paths = (Object.keys(creatorFeeSplit) as FeePath[])
  .map((path) => `('${path}', ${creatorFeeSplit[path].partnerBps}, ${creatorFeeSplit[path].buybackBps})`)
  .join(', ');

const shares = `(select 'creator_fee_agent' as kind, mint as owner, agent_lamports as lamports from creator_fee_receipts where mint is not null
            union all select 'creator_fee_partner', '', partner_lamports from creator_fee_receipts
            union all select 'creator_fee_buyback', '', buyback_lamports from creator_fee_receipts
            union all select 'creator_fee_float', '', case when mint is null then lamports else 0 end from creator_fee_receipts
            union all select 'creator_fee_' || share, coalesce(mint, ''), -lamports from creator_fee_payouts where state <> 'failed'
            union all select 'creator_fee_float', '', case state when 'failed' then 0 when 'confirmed' then -network_fee_lamports else -fee_reserve_lamports end
                      from creator_fee_payouts
            union all select 'creator_fee_in_flight', id, case when state in ('confirmed', 'failed') then 0 else lamports + fee_reserve_lamports end
                      from creator_fee_payouts)`;

export const feeInvariants: readonly Invariant[] = [
  {
    id: 'F01',
    holds: 'every creator fee is shared out by the contract’s table, and its shares sum to the fee',
    sql: `select r.reference, r.lamports::text from creator_fee_receipts r left join (values ${paths}) as p (path, partner_bps, buyback_bps) on p.path = r.path
          where (r.mint is null and (r.agent_lamports <> 0 or r.partner_lamports <> 0 or r.buyback_lamports <> 0))
             or (r.mint is not null and (p.path is null or r.partner_lamports <> r.lamports * p.partner_bps / 10000
                 or r.buyback_lamports <> r.lamports * p.buyback_bps / 10000 or r.agent_lamports <> r.lamports - r.partner_lamports - r.buyback_lamports))`,
  },
  {
    id: 'F02',
    holds: 'the creator fees owed in the books are those that arrived less those paid out, per share and token',
    sql: `select kind, owner, sum(lamports)::text as expected, sum(booked)::text as booked from (
            select kind, owner, lamports, 0 as booked from ${shares} s
            union all select kind, owner, 0, balance_micros from ledger_accounts where kind like 'creator\\_fee\\_%') b
          group by kind, owner having sum(lamports) <> sum(booked)`,
  },
  {
    id: 'F03',
    holds: 'a payout of creator fees names its transaction and its fee exactly when it is paid',
    sql: `select p.id as payout_id, p.reference from creator_fee_payouts p
          left join outgoing_attempts a on a.intent_id = p.id and a.state = 'confirmed'
          where (p.state = 'confirmed' and a.reference is distinct from p.reference) or (p.state = 'confirmed') <> (p.paid_at is not null)`,
  },
];
