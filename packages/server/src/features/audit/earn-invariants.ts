/** Invariants of Earn: shares, units, the queue, intents to venues, and the money on its way in and out. */
import type { Invariant } from './invariant.ts';
import { isRedirected } from './redirected.ts';

const ofShares: readonly Invariant[] = [
  {
    id: 'E01',
    holds: 'the shares of all positions add up to those of their vault, and none is negative',
    sql: `select v.key, v.total_shares::text as vault, coalesce(sum(p.shares), 0)::text as positions from earn_vaults v
          left join earn_positions p on p.vault_key = v.key group by v.key
          having v.total_shares <> coalesce(sum(p.shares), 0) or min(p.shares) < 0 or v.total_units < 0 or v.queued_units < 0
             or (v.total_shares = 0 and (v.total_units <> 0 or v.unvested_units <> 0))`,
  },
  {
    id: 'E02',
    holds: 'a deposit was minted once or refunded once, never both, and its shares follow from the measured units of its venue',
    sql: `select d.id as deposit_id, d.status from earn_deposits d
          left join (select subject_id, count(*) as count, max(result_units) as units, max(reference) as reference from earn_intents
            where kind = 'deposit' and state = 'confirmed' group by subject_id) i on i.subject_id = d.id
          left join payouts p on p.purpose = 'earn_refund' and p.subject_id = d.id and p.state <> 'void'
          left join (select subject_id, count(*) as count, sum(shares) as shares from earn_movements where kind = 'deposit' group by subject_id) m
            on m.subject_id = d.id
          where (d.status = 'deployed') <> (coalesce(m.count, 0) = 1) or coalesce(m.count, 0) > 1
             or (d.status = 'deployed' and (i.count is distinct from 1 or i.units <> d.units or i.reference <> d.deploy_reference
                 or m.shares <> d.shares or p.id is not null))
             or (d.status in ('refunding', 'refunded') and (p.id is null or p.amount_micros <> d.amount_micros
                 or (p.destination <> d.payer and not ${isRedirected('p')}) or p.network <> d.network or i.count is not null))
             or (d.status = 'refunded' and p.state <> 'confirmed')
             or (d.status in ('received', 'deploying') and p.id is not null)`,
  },
  {
    id: 'E03',
    holds: 'the history of a vault adds up to its positions, its units and the units in its queue',
    sql: `select coalesce(p.vault_key, m.vault_key) as key, coalesce(p.owner_id, m.owner_id) as owner from earn_positions p
          full join (select vault_key, owner_kind, owner_id, sum(shares) as shares, sum(principal_micros) as principal from earn_movements
            where owner_kind is not null group by vault_key, owner_kind, owner_id) m
            on m.vault_key = p.vault_key and m.owner_kind = p.owner_kind and m.owner_id = p.owner_id
          where coalesce(p.shares, 0) <> coalesce(m.shares, 0) or coalesce(p.principal_micros, 0) <> coalesce(m.principal, 0)
          union all
          select v.key, 'pool' from earn_vaults v
          left join (select vault_key, sum(units) as units, sum(queued_units) as queued, sum(unvested_units) as unvested
            from earn_movements group by vault_key) m on m.vault_key = v.key
          where v.total_units <> coalesce(m.units, 0) or v.queued_units <> coalesce(m.queued, 0)
             or v.unvested_units <> coalesce(m.unvested, 0)`,
  },
];

const ofTheQueue: readonly Invariant[] = [
  {
    id: 'E04',
    holds: 'open units and paid amount of a withdrawal follow from its parts, and each part has its redemption and payout',
    sql: `select w.id as withdrawal_id from earn_withdrawals w
          left join (select withdrawal_id, sum(units) as units, sum(assets_micros) as assets,
              coalesce(sum(assets_micros) filter (where paid_reference is not null), 0) as paid from earn_parts group by withdrawal_id) p
            on p.withdrawal_id = w.id
          where w.units + w.units_spread - w.units_left <> coalesce(p.units, 0) or w.received_micros <> coalesce(p.assets, 0)
             or w.paid_micros <> coalesce(p.paid, 0)
          union all
          select t.withdrawal_id from earn_parts t join earn_withdrawals w on w.id = t.withdrawal_id
          join earn_intents i on i.id = t.intent_id left join payouts o on o.id = t.payout_id
          where i.state <> 'confirmed' or i.kind <> 'redeem' or i.subject_id <> t.withdrawal_id or i.result_units <> t.units
             or i.result_assets <> t.assets_micros
             or (t.assets_micros > 0 and (o.id is null or o.purpose <> 'earn_withdrawal' or o.subject_id <> t.id
                 or o.amount_micros <> t.assets_micros or (o.destination <> w.destination and not ${isRedirected('o')}) or (o.state = 'confirmed' and o.reference is null)))
             or (t.paid_reference is not null and t.paid_reference is distinct from o.reference)
          union all
          select v.key from earn_vaults v left join (select vault_key, sum(units_left) as units from earn_withdrawals group by vault_key) q
            on q.vault_key = v.key
          where v.queued_units <> coalesce(q.units, 0)`,
  },
  {
    id: 'E05',
    holds: 'the queue is first come, first served: no withdrawal was redeemed while an earlier one could have been',
    sql: `select i.id as intent_id, i.subject_id as withdrawal_id from earn_intents i join earn_withdrawals w on w.id = i.subject_id
          -- What a lost database redeemed kept the order of that time. A place may have changed since, but only for a later one.
          where i.kind = 'redeem' and i.state = 'confirmed'
            and not exists (select 1 from outgoing_attempts a where a.intent_id = i.id and a.signed_bytes = encode('found on chain', 'base64'))
            and exists (select 1 from earn_withdrawals f where f.vault_key = w.vault_key and f.id <> w.id
              and f.queue_number < coalesce(i.queue_number, w.queue_number) and f.created_at < i.created_at
              and (f.units_left > 0 or exists (select 1 from earn_parts p where p.withdrawal_id = f.id and p.created_at > i.created_at))
              -- Under way at that time, ordered together with it, or refused a moment before.
              and not exists (select 1 from earn_intents o where o.subject_id = f.id and o.kind = 'redeem'
                and o.created_at <= i.created_at + interval '5 seconds'
                and (o.state in ('queued', 'signed', 'sent', 'unknown') or o.updated_at >= i.created_at
                  or (o.state = 'failed' and o.updated_at >= i.created_at - interval '1 hour'))))`,
  },
  {
    id: 'E09',
    holds: 'an owner has at most one open withdrawal per vault, which later ones join',
    sql: `select vault_key, owner_kind, owner_id, count(*)::int as open from earn_withdrawals
          where takes_more and status in ('queued', 'redeeming') group by vault_key, owner_kind, owner_id having count(*) > 1`,
  },
];

const ofHarvests: readonly Invariant[] = [
  {
    id: 'E10',
    holds: 'the unvested units of a vault are those of its harvests, and no harvest accrues faster than evenly or after its end',
    sql: `select v.key as vault from earn_vaults v
          left join (select vault_key, sum(units - vested_units) as unvested from earn_harvests where ended_at is null group by vault_key) h
            on h.vault_key = v.key
          where v.unvested_units <> coalesce(h.unvested, 0)
          union all
          select h.vault_key from earn_harvests h where h.units > h.found_units or (h.ended_at is not null and h.units <> h.vested_units)
             or h.vested_units > case when market_now() >= h.ends_at then h.units
               else h.units * extract(epoch from market_now() - h.began_at) / greatest(extract(epoch from h.ends_at - h.began_at), 1) + 1 end`,
  },
];

const ofTheIntents: readonly Invariant[] = [
  {
    id: 'E06',
    holds: 'the result of every venue intent is within its signed bounds',
    // Leaves out calls that were signed before a restore: the lost database chose their bounds.
    sql: `select i.id as intent_id, i.state from earn_intents i where i.kind <> 'allow' and i.state = 'confirmed'
            and exists (select 1 from outgoing_attempts a where a.intent_id = i.id and a.reference = i.reference)
            and ((i.kind = 'deposit' and (i.result_assets <> i.assets or i.result_units < i.min_out))
              or (i.kind = 'redeem' and (i.result_units <> i.units or i.result_assets < i.min_out)))
          union all
          select i.id, i.state from earn_intents i where (i.state = 'confirmed' and i.kind <> 'allow') <> (i.result_assets is not null)`,
  },
  {
    id: 'E07',
    holds: 'the books hold every deposit that is not in a venue, and every part that is not paid',
    sql: `select d.id, d.status, coalesce(a.balance_micros, 0)::text as held from earn_deposits d
          left join ledger_accounts a on a.kind = 'earn_deposit' and a.owner = d.id and a.network = d.network
          left join earn_intents i on i.subject_id = d.id and i.kind = 'deposit' and i.state <> 'failed'
          left join payouts p on p.purpose = 'earn_refund' and p.subject_id = d.id and p.state <> 'void'
          where coalesce(a.balance_micros, 0) <> case when i.id is null and p.id is null then d.amount_micros else 0 end
          union all
          select i.id, i.state, coalesce(a.balance_micros, 0)::text from earn_intents i
          left join ledger_accounts a on a.kind = 'in_flight' and a.owner = i.id and a.network = i.network
          where i.kind = 'deposit' and coalesce(a.balance_micros, 0) <> case when i.state in ('confirmed', 'failed') then 0 else i.assets end
          union all
          select a.owner, a.kind, a.balance_micros::text from ledger_accounts a where a.balance_micros <> 0
            and ((a.kind = 'earn_deposit' and not exists (select 1 from earn_deposits d where d.id = a.owner and d.network = a.network))
              or a.kind = 'earn_payable')`,
  },
];

export const earnInvariants: readonly Invariant[] = [...ofShares, ...ofTheQueue, ...ofTheIntents, ...ofHarvests];
