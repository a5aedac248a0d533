/**
 * Invariants of the books, as statements that return the violating rows. Zero rows: the invariant holds.
 * Ids follow the families of the reliability plan: F creator fees, G spend policies, L books, P money in, Q money out, S agents' server
 * wallets, T tokens, V events and the rest.
 */
import type { NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { bountyInvariants } from './bounty-invariants.ts';
import { contestInvariants } from './contest-invariants.ts';
import { disputeInvariants } from './dispute-invariants.ts';
import { earnInvariants } from './earn-invariants.ts';
import { feeInvariants } from './fee-invariants.ts';
import { figureInvariants } from './figure-invariants.ts';
import type { Invariant } from './invariant.ts';
import { moveInvariants } from './move-invariants.ts';
import { orderInvariants } from './order-invariants.ts';
import { outgoingInvariants } from './outgoing-invariants.ts';
import { overdueInvariants } from './overdue-invariants.ts';
import { payerInvariants } from './payer-invariants.ts';
import { privacyInvariants } from './privacy-invariants.ts';
import { isRedirected } from './redirected.ts';
import { savedSearchInvariants } from './saved-search-invariants.ts';
import { spendingInvariants } from './spending-invariants.ts';
import { stakeInvariants } from './stake-invariants.ts';
import { tokenInvariants } from './token-invariants.ts';
import { walletInvariants } from './wallet-invariants.ts';
import { webhookInvariants } from './webhook-invariants.ts';

/** Key of the latest posting of a payment claim. Each move of a claim posts it again under its own key. */
const claimKey = `'claim:' || c.caip2 || '/' || c.reference ||
            coalesce((select ':' || max(m.number) from payment_claim_moves m where m.caip2 = c.caip2 and m.reference = c.reference), '')`;

export const invariants: readonly Invariant[] = [
  {
    id: 'L01',
    holds: 'every transfer balances per network',
    sql: `select e.transfer_id, a.network, sum(e.amount_micros)::text as difference from ledger_entries e join ledger_accounts a on a.id = e.account_id
          group by e.transfer_id, a.network having sum(e.amount_micros) <> 0`,
  },
  {
    id: 'L02',
    holds: 'every transfer has at least two entries',
    sql: `select t.id as transfer_id, count(e.*)::int as entries from ledger_transfers t left join ledger_entries e on e.transfer_id = t.id
          group by t.id having count(e.*) < 2`,
  },
  {
    id: 'L03',
    holds: 'every account’s balance is the sum of its entries',
    sql: `select a.id as account_id, a.kind, a.owner, a.balance_micros::text as stored, coalesce(sum(e.amount_micros), 0)::text as summed
          from ledger_accounts a left join ledger_entries e on e.account_id = a.id where a.kind <> 'treasury'
          group by a.id having a.balance_micros <> coalesce(sum(e.amount_micros), 0)`,
  },
  {
    id: 'L04',
    holds: 'no owed balance is negative, and each treasury’s entries sum to what all other accounts are owed',
    sql: `select kind, owner, network, balance_micros::text as balance from ledger_accounts where kind not in ('treasury', 'interchain', 'unbooked') and balance_micros < 0
          union all
          select 'treasury', '', a.network, sum(e.amount_micros)::text from ledger_accounts a join ledger_entries e on e.account_id = a.id
          where a.kind = 'treasury' group by a.network
          having sum(e.amount_micros) <> -(select coalesce(sum(o.balance_micros), 0) from ledger_accounts o where o.network = a.network and o.kind <> 'treasury')`,
  },
  {
    id: 'L05',
    holds: 'the journal is unbroken: numbers without gaps, each seal covering its transfer and the seal before',
    sql: `select number from (
            select number, transfer_id, previous_hash, hash, lag(number) over w as previous_number, lag(hash) over w as hash_before
            from ledger_seals window w as (order by number)) s
          where number <> coalesce(previous_number, 0) + 1
             or previous_hash is distinct from coalesce(hash_before, sha256(convert_to('genesis', 'utf8')))
             or hash is distinct from ledger_transfer_digest(transfer_id, previous_hash)`,
  },
  {
    id: 'L06',
    holds: 'every transfer is sealed, or waits for its seal and is young',
    sql: `select t.id as transfer_id from ledger_transfers t left join ledger_seals s on s.transfer_id = t.id left join ledger_unsealed u on u.transfer_id = t.id
          where s.transfer_id is null and (u.transfer_id is null or t.posted_at < market_now() - interval '10 minutes')`,
  },
  {
    id: 'L07',
    holds: 'loans between networks cancel out',
    sql: `select sum(balance_micros)::text as difference from ledger_accounts where kind = 'interchain' having sum(balance_micros) <> 0`,
  },
  {
    id: 'L08',
    holds: 'the marketplace’s own money on a network covers what the network lent, so its treasury covers what it owes to others',
    sql: `select network, sum(balance_micros)::text as float from ledger_accounts where kind in ('interchain', 'platform_fee')
          group by network having sum(balance_micros) < 0`,
  },
  {
    id: 'P01',
    holds: 'every transfer is stored in its one spelling',
    sql: `select caip2, reference from chain_receipts
          where case when caip2 like 'eip155:%' then reference !~ '^0x[0-9a-f]{64}$' else reference !~ '^[1-9A-HJ-NP-Za-km-z]{64,88}$' end`,
  },
  {
    id: 'P02',
    holds: 'every payment claim has a receipt of at least its amount that was not reverted',
    sql: `select c.caip2, c.reference, c.subject_id, r.finality from payment_claims c left join chain_receipts r using (caip2, reference)
          where r.reference is null or r.finality = 'gone' or r.received_micros < c.amount_micros`,
  },
  {
    id: 'P03',
    holds: 'a claim never takes more than was received',
    sql: `select caip2, reference, subject_id from payment_claims where price_micros > amount_micros`,
  },
  {
    id: 'P04',
    holds: 'every claim moved exactly its transfer in the books',
    sql: `select c.caip2, c.reference, c.subject_id from payment_claims c
          left join ledger_transfers t on t.idempotency_key = ${claimKey}
          left join ledger_entries e on e.transfer_id = t.id left join ledger_accounts a on a.id = e.account_id and a.kind = 'unmatched'
          group by c.caip2, c.reference, c.subject_id, c.amount_micros having coalesce(sum(e.amount_micros) filter (where a.id is not null), 0) <> -c.amount_micros`,
  },
  {
    id: 'P05',
    holds: 'every receipt is in the books',
    sql: `select r.caip2, r.reference from chain_receipts r
          left join ledger_transfers t on t.idempotency_key = 'receipt:' || r.caip2 || '/' || r.reference
          where t.id is null and r.finality <> 'gone'`,
  },
  {
    id: 'P06',
    holds: 'a transfer nobody claimed is still whole, a claimed one is gone from unmatched',
    sql: `select r.caip2, r.reference, a.balance_micros::text as unmatched from chain_receipts r
          left join payment_claims c using (caip2, reference)
          join ledger_accounts a on a.kind = 'unmatched' and a.owner = r.network || '/' || r.reference
          where a.balance_micros <> case when c.reference is null and r.finality <> 'gone' then r.received_micros else 0 end`,
  },
  {
    id: 'P07',
    holds: 'a claim credited exactly its price, and its event names payer and purpose',
    sql: `select c.caip2, c.reference, c.subject_id from payment_claims c
          join ledger_transfers t on t.idempotency_key = ${claimKey}
          join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id
          group by c.caip2, c.reference, c.subject_id, c.price_micros
          having coalesce(sum(e.amount_micros) filter (where a.kind not in ('unmatched', 'surplus_payable')), 0) <> c.price_micros
          union all
          select c.caip2, c.reference, c.subject_id from payment_claims c
          join events v on v.type = 'payment.claimed' and v.subject_id = c.subject_id and v.data->>'reference' = c.reference
          where v.data->>'payer' <> c.payer or v.data->>'purpose' <> c.purpose`,
  },
  {
    id: 'P08',
    holds: 'a receipt is booked on its own network under its own reference, with the amount that its chain shows',
    sql: `select r.caip2, r.reference, r.network from chain_receipts r
          join ledger_transfers t on t.subject_id = r.caip2 || '/' || r.reference
            and t.kind in ('receipt', 'receipt_gone', 'receipt_restored', 'receipt_changed')
          join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id
          group by r.caip2, r.reference
          having bool_or(a.network <> r.network or (a.kind = 'unmatched' and a.owner <> r.network || '/' || r.reference))
              or (r.finality <> 'gone' and sum(e.amount_micros) filter (where a.kind = 'treasury') <> -r.received_micros)`,
  },
  {
    id: 'P09',
    holds: 'a payment for a registration made its agent or goes back to its payer, never both and never neither',
    sql: `select c.caip2, c.reference, c.subject_id from payment_claims c
          left join x402_purchases b on b.caip2 = c.caip2 and b.reference = c.reference and b.subject_id = c.subject_id and b.payer = c.payer
          left join agents a on a.id = c.subject_id
          left join payouts p on p.subject_id = c.subject_id and p.purpose = 'refund' and p.state <> 'void'
            and (p.destination = c.payer or ${isRedirected('p')}) and p.amount_micros = c.price_micros
          where c.purpose = 'registration' and (b.reference is null or (a.id is null) = (p.id is null))`,
  },
  ...contestInvariants,
  ...payerInvariants,
  ...outgoingInvariants,
  {
    id: 'Q02',
    holds: 'a confirmed payout has exactly its posting',
    sql: `select p.id as payout_id from payouts p left join ledger_transfers l on l.idempotency_key = 'confirm:' || p.id
          where (p.state = 'confirmed') <> (l.id is not null)`,
  },
  {
    id: 'Q03',
    holds: 'every payout that is not given up was reserved in the books with its amount, and holds it until it is confirmed',
    sql: `select p.id as payout_id, p.state, coalesce(a.balance_micros, 0)::text as reserved from payouts p
          left join ledger_accounts a on a.kind = 'in_flight' and a.owner = p.id and a.network = p.network
          where coalesce(a.balance_micros, 0) <> case when p.state in ('confirmed', 'void') then 0 else p.amount_micros end
             or not exists (select 1 from ledger_transfers l where l.idempotency_key = 'reserve:' || p.id)`,
  },
  {
    id: 'Q04',
    holds: 'no subject is paid out and refunded more than was paid in for it',
    sql: `select o.subject_id, o.outgoing::text as outgoing, i.incoming::text as incoming
          from (select subject_id, sum(amount_micros) as outgoing from payouts where state <> 'void' and purpose in ('payout', 'refund') group by subject_id) o
          join (select subject_id, sum(amount_micros) as incoming from payment_claims group by subject_id) i using (subject_id)
          where o.outgoing > i.incoming`,
  },
  {
    id: 'Q05',
    holds: 'no payout is made from a payment that is not final',
    sql: `select p.id as payout_id, r.reference, r.finality from payouts p join payment_claims c on c.subject_id = p.subject_id
          join chain_receipts r on r.caip2 = c.caip2 and r.reference = c.reference
          where p.state in ('signed', 'sent', 'unknown', 'confirmed') and r.finality <> 'final'`,
  },
  {
    id: 'Q10',
    holds: 'transfers found on chain without a payout are exactly what the books hold as unbooked',
    sql: `select coalesce(a.network, u.network) as network, a.balance::text as booked, u.found::text as found
          from (select network, sum(balance_micros) as balance from ledger_accounts where kind = 'unbooked' group by network) a
          full join (select network, sum(amount) as found from (
            select network, amount_micros as amount from unbooked_outflows where intent_id is null
            union all
            -- Of the vault of creator fees, with what the network asked for. Agents' wallets have no such posting: their money is not in these books.
            select b.network, greatest(-e.amount_micros, f.amount) from found_outflows f
            join ledger_transfers t on t.idempotency_key = 'creator-fee-found:' || f.reference
            join ledger_entries e on e.transfer_id = t.id join ledger_accounts b on b.id = e.account_id and b.kind = 'unbooked'
            where f.taken_by is null) o group by network) u
            on u.network = a.network
          where coalesce(a.balance, 0) <> -coalesce(u.found, 0)`,
  },
  {
    id: 'Q07',
    holds: 'each purpose and subject has at most one payout',
    sql: `select purpose, subject_id, count(*)::int as payouts from payouts where state <> 'void' group by purpose, subject_id having count(*) > 1`,
  },
  {
    id: 'Q08',
    holds: 'a payout has the amount, network, destination and reference that were reserved and announced',
    sql: `select p.id as payout_id from payouts p
          join ledger_transfers t on t.idempotency_key = 'reserve:' || p.id
          join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id and a.kind = 'in_flight'
          where e.amount_micros <> p.amount_micros or a.network <> p.network or a.owner <> p.id
          union all
          select p.id from payouts p join events v on v.type = 'payout.confirmed' and v.data->>'payout_id' = p.id
          where v.data->>'destination' <> p.destination or v.data->>'amount_micros' <> p.amount_micros::text or v.data->>'network' <> p.network
             or v.data->>'reference' is distinct from p.reference`,
  },
  {
    id: 'V01',
    holds: 'every claimed payment and every confirmed payout has its event, once',
    sql: `select 'payment.claimed' as event, c.subject_id from payment_claims c
          left join events e on e.type = 'payment.claimed' and e.subject_id = c.subject_id and e.data->>'reference' = c.reference
          group by c.caip2, c.reference, c.subject_id having count(e.*) <> 1
          union all
          select 'payout.confirmed', p.subject_id from payouts p
          left join events e on e.type = 'payout.confirmed' and e.data->>'payout_id' = p.id
          where p.state = 'confirmed' group by p.id, p.subject_id having count(e.*) <> 1`,
  },
  {
    id: 'V02',
    holds: 'no secret is stored in clear',
    sql: `select id as agent_id from agents
          where api_key_sealed like '%market\\_%' or webhook_secret_sealed like '%whsec\\_%' or previous_webhook_secret_sealed like '%whsec\\_%'`,
  },
  ...orderInvariants,
  ...bountyInvariants,
  ...spendingInvariants,
  ...stakeInvariants,
  ...overdueInvariants,
  ...disputeInvariants,
  ...figureInvariants,
  ...webhookInvariants,
  ...savedSearchInvariants,
  ...walletInvariants,
  ...moveInvariants,
  ...privacyInvariants,
  ...earnInvariants,
  ...tokenInvariants,
  ...feeInvariants,
];

const MAX_ROWS = 50;

/**
 * At most 50 rows that break an invariant. The query is materialized, so that it is planned without the limit. With it, the planner would
 * expect 50 early rows and choose nested loops, but mostly there are no rows.
 */
export async function findViolations(tx: Tx, { id, sql: query }: Invariant): Promise<readonly Record<string, unknown>[]> {
  const limited = `with violations as materialized (${query}) select * from violations limit ${MAX_ROWS}`;
  try {
    const { rows } = await sql<Record<string, unknown>>`${sql.raw(limited)}`.execute(tx);
    return rows;
  } catch (error) {
    throw new Error(`The audit could not check ${id}.`, { cause: error });
  }
}

/** Gives the audit one consistent, read-only snapshot, and more time per statement than a request has. */
export async function freezeMoment(tx: Tx): Promise<void> {
  await sql`set transaction isolation level repeatable read read only`.execute(tx);
  await sql`set local statement_timeout = '10min'`.execute(tx);
}

interface Book {
  /** Expected balance of the treasury. */
  readonly held: bigint;
  /** Payouts that are signed and perhaps sent, but not confirmed. */
  readonly openPayouts: bigint;
  /** All confirmed payouts. */
  readonly paidOut: bigint;
}

export async function readBook(db: Db, network: NetworkName): Promise<Book> {
  const { rows } = await sql<Book>`
    select (select coalesce(sum(balance_micros), 0) from ledger_accounts where network = ${network} and kind <> 'treasury')::bigint as held,
           coalesce(sum(amount_micros) filter (where state in ('signed', 'sent', 'unknown')), 0)::bigint as "openPayouts",
           coalesce(sum(amount_micros) filter (where state = 'confirmed'), 0)::bigint as "paidOut"
    from (select state, amount_micros from payouts where network = ${network}
      union all select state, assets from earn_intents where kind = 'deposit' and network = ${network}) leaving`.execute(db);
  if (rows[0] === undefined) throw new Error('an aggregate has one row');
  return rows[0];
}

export interface BookedUnits {
  readonly key: string;
  readonly network: NetworkName;
  readonly venue: string;
  readonly router: string;
  readonly units: string;
}

/** Earn vaults with units and without an open intent to their venue. */
export async function listUnits(db: Db): Promise<readonly BookedUnits[]> {
  const { rows } = await sql<BookedUnits>`
    select v.key, v.network, v.venue_address as venue, i.router, (v.total_units + v.queued_units + v.unvested_units)::text as units from earn_vaults v
    cross join lateral (select router from earn_intents i where i.vault_key = v.key order by created_at desc limit 1) i
    where v.total_units + v.queued_units > 0 and not exists (select 1 from earn_intents o
      where o.vault_key = v.key and o.kind <> 'allow' and o.state in ('queued', 'signed', 'sent', 'unknown'))`.execute(db);
  return rows;
}

export interface BookedFeeVault {
  readonly held: bigint;
  /** Amount reserved by payouts that may have left already. */
  readonly open: bigint;
  readonly failedFees: bigint;
}

/** The books of the creator-fee vault, in lamports. */
export async function readFeeVault(db: Db): Promise<BookedFeeVault> {
  const { rows } = await sql<Record<keyof BookedFeeVault, string>>`
    select coalesce((select -sum(balance_micros) from ledger_accounts where kind = 'treasury' and network = 'solana-mainnet/sol'), 0)::text as held,
      coalesce((select sum(lamports + fee_reserve_lamports) from creator_fee_payouts where state in ('signed', 'sent', 'unknown')), 0)::text as open,
      coalesce((select sum(p.fee_reserve_lamports) from creator_fee_payouts p
        join outgoing_attempts a on a.intent_id = p.id and a.state = 'failed'), 0)::text as "failedFees"`.execute(db);
  const { held = '0', open = '0', failedFees = '0' } = rows[0] ?? {};
  return { held: BigInt(held), open: BigInt(open), failedFees: BigInt(failedFees) };
}
