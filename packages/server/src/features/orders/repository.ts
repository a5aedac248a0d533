/** Reads orders and what belongs to them. `lifecycle/step-repository.ts` writes orders. Rows are camelCase; nothing here knows the wire. */
import type { AgentId, NetworkName, OrderId } from '@market/contract';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { compileOnce } from '../../platform/db/compile-once.ts';
import { type Db, defer, readTogether, type Tx } from '../../platform/db/database.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type {
  DeliverablesTable,
  OrderStepsTable,
  OrdersTable,
  ReviewsTable,
  SettlementsTable,
} from '../../platform/db/schema.generated.ts';
import { publicNameBeside } from '../accounts/identity/index.ts';
import type { WalletRow } from '../wallet-keys/index.ts';

/** An order with the names and owners of both sides, and the facts its rules ask for. */
export type OrderRow = Omit<Selectable<OrdersTable>, 'paymentNetwork'> & {
  readonly paymentNetwork: NetworkName | null;
  readonly providerName: string;
  readonly providerSlug: string;
  readonly providerOwnerWallet: string | null;
  readonly providerOwnerUserId: string | null;
  /** The provider's id in the Identity Registry on chain. */
  readonly providerOnchainId: string | null;
  readonly clientAgentName: string | null;
  readonly clientOwnerWallet: string | null;
  readonly clientOwnerProven: boolean | null;
  readonly clientOwnerUserId: string | null;
  readonly clientUserName: string | null;
  readonly clientProfileName: string | null;
  readonly openRequests: number;
  /** The number of the latest delivery; 0 before the first. */
  readonly lastRound: number;
  readonly reviewed: boolean;
  /** True once the escrow has been shared out. */
  readonly settled: boolean;
  readonly paymentReverted: boolean;
  /** Set for a bare transfer: until then its payer can claim it for another request. */
  readonly contestableUntil: Date | null;
  /** The database's time of this read. Deadlines are compared with it only. */
  readonly now: Date;
};
export type DeliverableRow = Selectable<DeliverablesTable>;
export interface DeliveredItem extends Pick<DeliverableRow, 'url' | 'content'> {
  readonly mediaType: NonNullable<DeliverableRow['mediaType']>;
}
export type StepRow = Selectable<OrderStepsTable>;

const clientUserName = publicNameBeside(sql.ref('orders.client_wallet'), sql.ref('orders.payer'));

export function selectOrders(db: Db) {
  return db
    .selectFrom('orders')
    .innerJoin('agents as provider', 'provider.id', 'orders.providerAgentId')
    .leftJoin('agents as client', 'client.id', 'orders.clientAgentId')
    .leftJoin('users', 'users.id', 'orders.userId')
    .leftJoin('walletProfiles', 'walletProfiles.wallet', 'orders.clientWallet')
    .selectAll('orders')
    .select([
      'provider.name as providerName',
      'provider.slug as providerSlug',
      'provider.ownerWallet as providerOwnerWallet',
      'provider.ownerUserId as providerOwnerUserId',
      'provider.erc8004AgentId as providerOnchainId',
      'client.name as clientAgentName',
      'client.ownerWallet as clientOwnerWallet',
      'client.ownerProven as clientOwnerProven',
      'client.ownerUserId as clientOwnerUserId',
      clientUserName.as('clientUserName'),
      'walletProfiles.displayName as clientProfileName',
      sql<number>`(select count(*)::int from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating'))`.as(
        'openRequests',
      ),
      sql<number>`(select coalesce(max(d.round), 0)::int from deliverables d where d.order_id = orders.id)`.as('lastRound'),
      sql<boolean>`exists (select 1 from settlements s where s.order_id = orders.id)`.as('settled'),
      sql<boolean>`exists (select 1 from reviews r where r.order_id = orders.id)`.as('reviewed'),
      sql<boolean>`exists (select 1 from payment_claims c join chain_receipts r using (caip2, reference) where c.subject_id = orders.id and r.finality = 'gone')`.as(
        'paymentReverted',
      ),
      sql<Date | null>`(select max(c.contestable_until) from payment_claims c where c.subject_id = orders.id)`.as('contestableUntil'),
      sql<Date>`market_now()`.as('now'),
    ]);
}

/** The buyer's public name, null where it is made from an address. Needs the tables of `selectOrders`. */
export const clientNames = sql<string | null>`coalesce(client.name, ${clientUserName}, wallet_profiles.display_name)`;

/** An order's title and the names of both sides, as text to search in. */
export function orderWords(db: Db, id: RawBuilder<unknown>) {
  return selectOrders(db)
    .clearSelect()
    .select(sql<string>`concat_ws(' ', orders.service_title, provider.name, ${clientNames})`.as('words'))
    .where(sql<boolean>`orders.id = ${id}`);
}

const selectOrder = compileOnce((db, id: OrderId) => selectOrders(db).where('orders.id', '=', id));

export async function findOrder(db: Db, id: string): Promise<OrderRow | undefined> {
  const { rows } = await db.executeQuery(selectOrder(db, id as OrderId));
  return rows[0] as OrderRow | undefined;
}

export async function findOrders(db: Db, ids: readonly OrderId[]): Promise<OrderRow[]> {
  if (ids.length === 0) return [];
  return (await selectOrders(db)
    .where('orders.id', 'in', [...ids])
    .execute()) as OrderRow[];
}

/** Orders whose payment is still in escrow. */
export async function listHeldOrders(db: Db): Promise<{ id: OrderId; network: NetworkName; reference: string }[]> {
  const rows = await db
    .selectFrom('orders')
    .select(['id', 'paymentNetwork as network', 'paymentReference as reference'])
    .where('status', 'in', ['paid', 'in_progress', 'delivered', 'revision_requested', 'disputed'])
    .where('paidMicros', '>', 0n)
    .where('paymentReference', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('settlements').select('orderId').whereRef('settlements.orderId', '=', 'orders.id'))),
    )
    .execute();
  return rows as { id: OrderId; network: NetworkName; reference: string }[];
}

const LOCK_ORDER = 'select id from orders where id = $1 for update';

/** Locks the order until the transaction ends, then reads it. */
export async function lockOrder(tx: Tx, id: string): Promise<OrderRow | undefined> {
  await tx.executeQuery(deferred(LOCK_ORDER, [id]));
  return await findOrder(tx, id);
}

/** As `lockOrder`, and reads where its provider is paid, in the same round trip. */
export async function lockOrderWithPayee(tx: Tx, id: string): Promise<{ order: OrderRow; payee: Payee } | undefined> {
  await tx.executeQuery(deferred(LOCK_ORDER, [id]));
  const [[payee], [order]] = await readTogether(tx, selectPayee(tx, id as OrderId), selectOrder(tx, id as OrderId));
  return order === undefined || payee === undefined ? undefined : { order: order as OrderRow, payee };
}

export async function listSteps(db: Db, id: OrderId): Promise<StepRow[]> {
  return await db.selectFrom('orderSteps').selectAll().where('orderId', '=', id).orderBy('number').execute();
}

const INSERT_SETTLEMENT =
  'insert into settlements (order_id, outcome, agent_micros, fee_micros, refund_micros) values ($1, $2, $3, $4, $5)';

export async function insertSettlement(tx: Tx, settlement: Insertable<SettlementsTable>): Promise<void> {
  const { orderId, outcome, agentMicros, feeMicros, refundMicros } = settlement;
  await tx.executeQuery(deferred(INSERT_SETTLEMENT, [orderId, outcome, agentMicros, feeMicros, refundMicros]));
}

/** The payout addresses of an agent. Inactive agents are paid, too. */
export async function findPaidAgent(db: Db, id: AgentId) {
  return await db
    .selectFrom('agents')
    .select(['id', 'ownerWallet', 'ownerUserId', 'payoutWallet', 'payoutAddressBase', 'payoutChain', 'payoutHeldSince'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

export type Payee = Pick<
  Awaited<ReturnType<typeof findPaidAgent>>,
  'id' | 'ownerWallet' | 'payoutWallet' | 'payoutAddressBase' | 'payoutChain'
> & {
  readonly wallets: readonly WalletRow[];
};

/** The provider of an order with its own wallets. */
const selectPayee = compileOnce((db, id: OrderId) =>
  db
    .selectFrom('orders')
    .innerJoin('agents', 'agents.id', 'orders.providerAgentId')
    .select(['agents.id', 'agents.ownerWallet', 'agents.payoutWallet', 'agents.payoutAddressBase', 'agents.payoutChain'])
    .select(
      sql<readonly WalletRow[]>`(
        select coalesce(jsonb_agg(jsonb_build_object('agentId', agent_id, 'kind', kind, 'address', address, 'sealedKey', sealed_key)), '[]')
        from agent_wallets where agent_id = agents.id)`.as('wallets'),
    )
    .where('orders.id', '=', id),
);

export async function insertDeliverables(tx: Tx, rows: readonly Insertable<DeliverablesTable>[]): Promise<void> {
  await defer(tx, tx.insertInto('deliverables').values([...rows]));
}

/** Marks earlier deliveries as replaced. Answers to requests stay. */
export async function supersedeDeliverables(tx: Tx, id: OrderId): Promise<void> {
  // All items of an answer carry the prompt of their request.
  const earlier = tx.updateTable('deliverables').set({ status: 'superseded' }).where('orderId', '=', id).where('prompt', '=', '');
  await defer(tx, earlier.where('status', '=', 'completed'));
}

/** Whether the provider delivered this file. Files of the brief do not count. */
export async function isDelivered(db: Db, id: OrderId, uploadId: string): Promise<boolean> {
  const row = await db
    .selectFrom('deliverables')
    .select('id')
    .where('orderId', '=', id)
    .where('uploadId', '=', uploadId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function listDeliverables(db: Db, ids: readonly OrderId[]): Promise<DeliverableRow[]> {
  return ids.length === 0 ? [] : (await db.executeQuery(selectDeliverables(db, ids))).rows;
}

export const selectDeliverables = compileOnce((db, ids: readonly OrderId[]) =>
  db
    .selectFrom('deliverables')
    .selectAll()
    .where('orderId', '=', sql<OrderId>`any(${ids})`)
    .orderBy('round', 'desc')
    .orderBy('position')
    .orderBy('id'),
);

type OverdueCommand = 'auto_release' | 'expire' | 'mark_overdue' | 'escalate' | 'finish_workspace' | 'pay_at_hire';

/** Orders that the timers missed: their deadline has passed, or their provider should be paid at hire. */
export async function listOverdue(db: Db, limit: number): Promise<{ id: OrderId; command: OverdueCommand }[]> {
  const { rows } = await sql<{ id: OrderId; command: OverdueCommand }>`
    (select id, 'auto_release' as command from orders where status = 'delivered' and review_deadline <= market_now() order by review_deadline limit ${limit})
    union all
    (select id, 'expire' from orders where status in ('paid', 'in_progress') and delivery_deadline <= market_now()
       and not exists (select 1 from settlements s where s.order_id = orders.id) order by delivery_deadline limit ${limit})
    union all
    (select id, 'mark_overdue' from orders where status in ('paid', 'in_progress') and delivery_deadline <= market_now() and overdue_since is null
       and exists (select 1 from settlements s where s.order_id = orders.id) order by delivery_deadline limit ${limit})
    union all
    (select id, 'escalate' from orders where status = 'revision_requested' and revision_deadline <= market_now() limit ${limit})
    union all
    (select id, 'finish_workspace' from orders where status = 'in_progress' and workspace_ends_at <= market_now() limit ${limit})
    union all
    (select id, 'pay_at_hire' from orders where settlement = 'instant' and status in ('paid', 'in_progress', 'delivered', 'revision_requested')
       and paid_at <= market_now() - interval '2 minutes' and not exists (select 1 from settlements s where s.order_id = orders.id)
       and not exists (select 1 from payment_claims c where c.subject_id = orders.id and c.contestable_until > market_now()) limit ${limit})`.execute(
    db,
  );
  return rows;
}

/** The time at which the chain last reverted the payment of this order. */
export async function findFrozenSince(db: Db, id: OrderId): Promise<Date | undefined> {
  const { rows } = await sql<{ createdAt: Date }>`
    select created_at from events where subject_id = ${id} and type = 'payment.reverted' order by id desc limit 1`.execute(db);
  return rows[0]?.createdAt;
}

export type ReviewRow = Selectable<ReviewsTable>;

export async function findReview(db: Db, id: OrderId): Promise<ReviewRow | undefined> {
  return await db.selectFrom('reviews').selectAll().where('orderId', '=', id).executeTakeFirst();
}

/** Counts messages of the other side that this side has not read. */
export async function unreadMessages(db: Db, id: OrderId, side: 'client' | 'agent'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from order_messages m where m.order_id = ${id} and m.sender_type <> ${side}
      and m.number > coalesce((select last_number from message_reads r where r.order_id = m.order_id and r.side = ${side}), 0)`.execute(db);
  return rows[0]?.count ?? 0;
}
