/** The SQL of the explorer: payments, hires by machines and payouts. Names appear only for listed agents. */
import type { AgentId, categories, NetworkName, OrderStatus } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../../platform/db/keyset.ts';

export interface ExplorerPage {
  readonly q?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface Hired {
  readonly orderId: string | null;
  readonly serviceId: string | null;
  readonly serviceTitle: string | null;
  readonly agentId: AgentId | null;
  readonly agentName: string | null;
  readonly agentSlug: string | null;
}

export interface PaymentRow extends Hired {
  readonly number: bigint;
  readonly network: NetworkName;
  readonly reference: string;
  readonly payer: string;
  readonly amountMicros: bigint;
  readonly purpose:
    | 'order'
    | 'x402'
    | 'registration'
    | 'bounty'
    | 'claim_stake'
    | 'earn'
    | 'earn_deposit'
    | 'earn_return'
    | 'wallet_funding'
    | 'refund';
  readonly finality: 'seen' | 'confirmed' | 'final' | 'gone';
  readonly claimedAt: Date;
}

export interface HireRow extends Hired {
  readonly id: string;
  readonly network: NetworkName;
  readonly reference: string;
  readonly payer: string;
  readonly paidMicros: bigint;
  readonly category: (typeof categories)[number] | null;
  readonly status: OrderStatus;
  readonly settlement: 'on_approval' | 'instant';
  readonly createdAt: Date;
}

export interface PayoutRow extends Hired {
  readonly id: string;
  readonly network: NetworkName;
  readonly reference: string | null;
  readonly destination: string;
  readonly amountMicros: bigint;
  readonly purpose: 'payout' | 'refund' | 'surplus' | 'withdrawal' | 'earn_refund' | 'earn_withdrawal';
  readonly state: 'queued' | 'signed' | 'sent' | 'unknown' | 'confirmed' | 'parked';
  readonly createdAt: Date;
}

interface Page<R> {
  readonly rows: readonly R[];
  readonly nextCursor: string | null;
}

const hired = sql`o.id as order_id, case when a.id is not null then o.service_id end as service_id,
  case when a.id is not null then o.service_title end as service_title, a.id as agent_id, a.name as agent_name, a.slug as agent_slug`;
/** Texts that a search looks at. Addresses are left out, because they are shown shortened. */
const hiredTexts = sql`o.id, case when a.id is not null then concat_ws(' ', o.service_id, o.service_title, a.id, a.name, a.slug) end`;
const listedProvider = sql`left join agents a on a.id = o.provider_agent_id and is_agent_listed(a)`;

export async function listPayments(
  db: Db,
  only: { readonly caip2?: string | undefined; readonly purpose?: PaymentRow['purpose'] | undefined },
  page: ExplorerPage,
): Promise<Page<PaymentRow>> {
  const keys: readonly SortKey<PaymentRow>[] = [{ column: sql`c.number`, type: 'int8', of: (row) => row.number }];
  const { rows } = await sql<PaymentRow>`
    select c.number, r.network, c.reference, c.payer, c.amount_micros, c.purpose, r.finality, c.claimed_at, ${hired}
    from payment_claims c join chain_receipts r on r.caip2 = c.caip2 and r.reference = c.reference
    left join orders o on o.id = c.subject_id ${listedProvider}
    where ${equals(sql`c.caip2`, only.caip2)} and ${equals(sql`c.purpose`, only.purpose)} and ${after('payments', keys, page)}
      and ${holdsText(page.q, sql`c.reference, ${hiredTexts}`)}
    order by c.number desc limit ${page.limit + 1}`.execute(db);
  return cutPage(rows, page.limit, 'payments', keys);
}

export async function listHires(db: Db, network: NetworkName | undefined, page: ExplorerPage): Promise<Page<HireRow>> {
  const keys: readonly SortKey<HireRow>[] = [
    { column: sql`o.created_at`, type: 'timestamptz', of: (row) => row.createdAt },
    { column: sql`o.id`, type: 'text', of: (row) => row.id },
  ];
  const { rows } = await sql<HireRow>`
    select o.id, o.payment_network as network, o.payment_reference as reference, o.payer, o.paid_micros, o.category, o.status, o.settlement,
           o.created_at, ${hired}
    from orders o ${listedProvider}
    where o.kind = 'machine' and not o.related_party and ${equals(sql`o.payment_network`, network)} and ${after('hires', keys, page)}
      and ${holdsText(page.q, sql`o.payment_reference, ${hiredTexts}`)}
    order by o.created_at desc, o.id desc limit ${page.limit + 1}`.execute(db);
  return cutPage(rows, page.limit, 'hires', keys);
}

/** Payouts, newest first. Their ids begin with their time, so sorting by id is sorting by time. */
export async function listPublicPayouts(
  db: Db,
  only: { readonly network?: NetworkName | undefined; readonly purpose?: PayoutRow['purpose'] | undefined },
  page: ExplorerPage,
): Promise<Page<PayoutRow>> {
  const keys: readonly SortKey<PayoutRow>[] = [{ column: sql`p.id`, type: 'text', of: (row) => row.id }];
  const { rows } = await sql<PayoutRow>`
    select p.id, p.network, p.reference, p.destination, p.amount_micros, p.purpose, p.state, p.created_at, ${hired}
    from payouts p left join orders o on o.id = p.subject_id ${listedProvider}
    where p.state <> 'void' and ${equals(sql`p.network`, only.network)} and ${equals(sql`p.purpose`, only.purpose)}
      and ${after('payouts', keys, page)} and ${holdsText(page.q, sql`p.reference, ${hiredTexts}`)}
    order by p.id desc limit ${page.limit + 1}`.execute(db);
  return cutPage(rows, page.limit, 'payouts', keys);
}

function equals(column: RawBuilder<unknown>, value: string | undefined): RawBuilder<boolean> {
  return value === undefined ? sql<boolean>`true` : sql<boolean>`${column} = ${value}`;
}

function after<R>(name: string, keys: readonly SortKey<R>[], { cursor }: ExplorerPage): RawBuilder<boolean> {
  return cursor === undefined ? sql<boolean>`true` : beyondCursor(name, keys, cursor);
}
