/** Whether a payment has bought something. Reads the records of payments, machine hires and wallet movements. */
import { type SpendingId, spendingLimits } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Bought, SpendingRow } from './spending-repository.ts';

/**
 * `none`: nothing was bought. `open`: the payment may be on its way. `repeat`: it bought something before this call. `other`: the transfer
 * was claimed for something that this call does not buy.
 */
export type Purchase = ({ readonly state: 'bought' } & Bought) | { readonly state: 'open' | 'none' | 'repeat' | 'other' };

type Reserved = Pick<SpendingRow, 'operation' | 'reference' | 'about' | 'createdAt'>;

const NONE: Purchase = { state: 'none' };

export function transferReference(caip2: string, reference: string): string {
  return `transfer ${caip2} ${reference}`;
}

export function paymentReference(caip2: string, alias: string): string {
  return `payment ${caip2} ${alias}`;
}

export async function findPurchase(db: Db, reserved: Reserved): Promise<Purchase> {
  const [kind, caip2 = '', name = ''] = reserved.reference.split(' ');
  if (kind === 'transfer') return await findClaimed(db, reserved, caip2, name);
  if (kind === 'payment') return await findPaid(db, reserved, caip2, name);
  // The intent of a movement is stored with its reservation, so one that is still reserved bought nothing.
  return NONE;
}

interface Found {
  readonly kind: string;
  readonly id: string;
  readonly amountMicros: bigint;
  readonly state: string;
  readonly isEarlier: boolean;
}

/** The purpose for which each operation claims a transfer. Hires by machine have several operations. */
const purposes: Readonly<Record<string, string>> = {
  'orders.pay': 'order',
  'bounties.accept': 'bounty',
  'agents.register': 'registration',
  'earn.deposit': 'earn_deposit',
};

async function findClaimed(db: Db, { operation, createdAt, about }: Reserved, caip2: string, reference: string): Promise<Purchase> {
  const { rows } = await sql<Found>`
    select purpose as kind, subject_id as id, price_micros as "amountMicros", 'settled' as state, claimed_at < ${createdAt} as "isEarlier"
    from payment_claims where caip2 = ${caip2} and reference = ${reference}`.execute(db);
  const [claim] = rows;
  if (claim === undefined) return NONE;
  // An order is named before it is paid; the other purchases get their id with the claim.
  const namesOrder = claim.kind === 'order' || claim.kind === 'bounty';
  if (claim.kind !== (purposes[operation] ?? 'x402') || (namesOrder && claim.id !== about)) return { state: 'other' };
  return purchaseOf(claim);
}

/** The payer of a bare transfer can still move its claim to another purchase. */
export async function canClaimMove(db: Db, spendingReference: string): Promise<boolean> {
  const [kind, caip2 = '', reference = ''] = spendingReference.split(' ');
  if (kind !== 'transfer') return false;
  const { rows } = await sql<{ one: number }>`
    select 1 as one from payment_claims where caip2 = ${caip2} and reference = ${reference} and contestable_until is not null`.execute(db);
  return rows.length > 0;
}

async function findPaid(db: Db, { createdAt }: Reserved, caip2: string, alias: string): Promise<Purchase> {
  const { rows } = await sql<Found>`
    select purpose as kind, subject_id as id, amount_micros as "amountMicros", created_at < ${createdAt} as "isEarlier",
           -- A registration whose name was taken meanwhile is paid back.
           case when state = 'settled' and purpose = 'registration' and not exists (select 1 from agents a where a.id = subject_id)
             then 'failed' else state end as state
    from x402_payments where caip2 = ${caip2} and alias = ${alias}`.execute(db);
  return purchaseOf(rows[0]);
}

/** True for a failed transfer out of an agent's wallet and for a deposit that went back: the money is where it was. */
const undone = sql<boolean>`
  (bought_kind = 'movement' and (
    exists (select 1 from wallet_movements m where m.id = bought_id and m.state = 'failed')
    or exists (select 1 from earn_agent_deposits a join earn_deposits d on d.id = a.deposit_id
               where a.movement_id = bought_id and d.status in ('refunding', 'refunded'))))
  or (bought_kind = 'earn_deposit' and exists (select 1 from earn_deposits d where d.id = bought_id and d.status in ('refunding', 'refunded')))`;

export async function isUndone(db: Db, id: SpendingId): Promise<boolean> {
  const row = await db.selectFrom('spendings').select(undone.as('undone')).where('id', '=', id).executeTakeFirst();
  return row?.undone === true;
}

type Unsettled = Pick<SpendingRow, 'id'> & { readonly isAbandoned: boolean };

/** Reservations that their own call did not settle, the oldest first. */
export async function listUnsettled(db: Db, olderThanSeconds: number, limit: number): Promise<Unsettled[]> {
  const { rows } = await sql<Unsettled>`
    select id, created_at < market_now() - make_interval(mins => ${spendingLimits.abandonedMinutes}) as "isAbandoned"
    from spendings where status = 'reserved' and created_at < market_now() - make_interval(secs => ${olderThanSeconds})
    order by created_at limit ${limit}`.execute(db);
  return rows;
}

/** Counted payments whose money came back, the oldest first. Looks back as far as the longest budget session. */
export async function listUndone(db: Db, limit: number): Promise<SpendingId[]> {
  const { rows } = await sql<Pick<SpendingRow, 'id'>>`
    select id from spendings
    where status = 'kept' and bought_kind in ('movement', 'earn_deposit')
      and created_at > market_now() - make_interval(secs => ${spendingLimits.mostBudgetSeconds}) and (${undone})
    order by created_at limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

function purchaseOf(found: Found | undefined): Purchase {
  if (found === undefined || found.state === 'failed') return NONE;
  if (found.state !== 'settled') return { state: 'open' };
  if (found.isEarlier) return { state: 'repeat' };
  return { state: 'bought', kind: found.kind, id: found.id, amountMicros: found.amountMicros };
}
