/** The SQL of sending payouts: its limits, why outflow is closed, and transfers on chain that are missing in the books. */
import type { AgentId, NetworkName, OrderId } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { KnownOutgoing, SeenOutgoing } from '../../platform/chains/seen-outgoing.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { UnbookedOutflowsTable } from '../../platform/db/schema.generated.ts';
import { type OutflowFigures, returnedPurposes } from '../../platform/signer/outflow-limits.ts';
import type { StoredIntent } from '../../platform/signer/signer-service.ts';
import type { PaidBy } from '../payments/index.ts';
import type { PayoutRow } from './repository.ts';

export type UnbookedRow = Selectable<UnbookedOutflowsTable>;

/** Everything a signature depends on, in one query. */
export interface SigningFacts extends OutflowFigures {
  /** Why outflow is closed; null when it is open. */
  readonly closedFor: string | null;
  readonly state: PayoutRow['state'];
  readonly destination: string;
  readonly amountMicros: bigint;
  /** Reserved for this payout in the books. */
  readonly reservedMicros: bigint;
}

export async function readSigningFacts(db: Db, payoutId: string): Promise<SigningFacts> {
  const returned = sql.val([...returnedPurposes]);
  const { rows } = await sql<SigningFacts>`
    select p.state, p.destination, p.amount_micros as "amountMicros",
      (select reason from outflow_gate) as "closedFor",
      coalesce((select balance_micros from ledger_accounts where kind = 'in_flight' and owner = p.id and network = p.network), 0) as "reservedMicros",
      o."openMicros", o."openReturnedMicros", h."hourMicros", h."hourReturnedMicros",
      coalesce((select sum(t.rent_lamports) from outgoing_attempts t join payouts d on d.id = t.intent_id
        where t.created_at > market_now() - interval '1 day' and t.state <> 'expired' and t.rent_lamports > 0), 0)::bigint as "dayLamports",
      (select count(*) from outgoing_attempts t join payouts d on d.id = t.intent_id
        where t.created_at > market_now() - interval '1 day' and t.state <> 'expired' and t.rent_lamports > 0
          and d.network = p.network and d.destination = p.destination)::int as "dayAccounts",
      coalesce((select sum(w.amount_micros) from payouts w
        where w.parked_for = 'account' and w.network = p.network and w.destination = p.destination and w.id <> p.id), 0)::bigint as "waitingMicros"
    from payouts p,
      lateral (select coalesce(sum(amount_micros), 0)::bigint as "openMicros",
          coalesce(sum(amount_micros) filter (where purpose = any(${returned}::text[])), 0)::bigint as "openReturnedMicros"
        from payouts where state in ('signed', 'sent', 'unknown') and id <> p.id) o,
      lateral (select coalesce(sum(amount_micros), 0)::bigint as "hourMicros",
          coalesce(sum(amount_micros) filter (where purpose = any(${returned}::text[])), 0)::bigint as "hourReturnedMicros"
        from payouts where id <> p.id and id in
          (select intent_id from outgoing_attempts where created_at > market_now() - interval '1 hour')) h
    where p.id = ${payoutId}`.execute(db);
  const [facts] = rows;
  if (facts === undefined) throw new Error(`payout ${payoutId} is gone`);
  return facts;
}

/** The stored intent for a separate signer, without the service's figures. */
export async function readStoredIntent(db: Db, id: string): Promise<StoredIntent | undefined> {
  const { rows } = await sql<StoredIntent>`
    select p.id, p.purpose, p.state, p.network, p.destination, p.amount_micros as "amountMicros",
      (select reason from outflow_gate) as "closedFor",
      coalesce((select balance_micros from ledger_accounts where kind = 'in_flight' and owner = p.id and network = p.network), 0) as "reservedMicros",
      coalesce((select sum(w.amount_micros) from payouts w
        where w.parked_for = 'account' and w.network = p.network and w.destination = p.destination and w.id <> p.id), 0)::bigint as "waitingMicros"
    from payouts p where p.id = ${id}`.execute(db);
  return rows[0];
}

/** The agent that a payout pays; undefined for money that goes back to a payer or out of Earn. */
export async function findPaidAgentId(
  db: Db,
  { purpose, subjectId }: Pick<PayoutRow, 'purpose' | 'subjectId'>,
): Promise<AgentId | undefined> {
  if (purpose !== 'payout') return undefined;
  return (
    await db
      .selectFrom('orders')
      .select('providerAgentId')
      .where('id', '=', subjectId as OrderId)
      .executeTakeFirst()
  )?.providerAgentId;
}

/** Changes the destination of an agent's payouts that are not signed yet. Returns their ids. */
export async function readdressQueued(
  tx: Tx,
  {
    agentId,
    networks,
    from,
    to,
  }: { readonly agentId: AgentId; readonly networks: readonly NetworkName[]; readonly from: string; readonly to: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update payouts p set destination = ${to}, updated_at = market_now() from orders o
    where o.id = p.subject_id and o.provider_agent_id = ${agentId} and p.purpose = 'payout' and p.state = 'queued'
      and p.destination = ${from} and p.network = any(${sql.val([...networks])}::text[])
    returning p.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Serialises the storing of signatures, so that two cannot pass one limit together. */
export async function lockOutflow(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('outflow', 0))`.execute(tx);
}

/** Entries of the books for these transactions: our own attempts, receipts, and transfers reconciled before. */
export async function listKnownOutgoing(db: Db, caip2: string, references: readonly string[]): Promise<readonly KnownOutgoing[]> {
  if (references.length === 0) return [];
  const list = sql.val([...references]);
  // A receipt records money that came in. It explains only a transfer out of the same transaction that names no intent.
  const { rows } = await sql<KnownOutgoing>`
    select a.reference, a.intent_id as "intentId", null as "intentKey" from outgoing_attempts a join outgoing_intents i on i.id = a.intent_id
      where a.reference = any(${list}::text[]) and i.payer = 'treasury'
    union select reference, id, null from payouts where reference = any(${list}::text[])
    union select reference, null, intent_key from unbooked_outflows where reference = any(${list}::text[])
    union select reference, null, null from chain_receipts where caip2 = ${caip2} and reference = any(${list}::text[])`.execute(db);
  return rows;
}

/** Payouts with the destination and amount of this transfer. The name of the intent decides which one it paid. */
export async function listPayoutsLike(
  db: Db,
  network: NetworkName,
  { destination, micros }: Pick<SeenOutgoing, 'destination' | 'micros'>,
  states: readonly PayoutRow['state'][],
): Promise<PayoutRow[]> {
  const rows = await db
    .selectFrom('payouts')
    .selectAll()
    .where('network', '=', network)
    .where('destination', '=', destination)
    .where('amountMicros', '=', micros)
    .where('state', 'in', [...states])
    .execute();
  return rows as PayoutRow[];
}

/** Deposits of Earn that are on their way into a venue on this network. */
export async function listOpenDeploys(db: Db, network: NetworkName): Promise<string[]> {
  const rows = await db
    .selectFrom('earnIntents')
    .select('id')
    .where('network', '=', network)
    .where('kind', '=', 'deposit')
    .where('state', 'in', ['signed', 'sent', 'unknown'])
    .execute();
  return rows.map(({ id }) => id);
}

/** False when it was recorded before. */
export async function insertUnbooked(tx: Tx, network: NetworkName, seen: SeenOutgoing, intentId: string | null): Promise<boolean> {
  const { reference, position, intentKey, destination, micros: amountMicros } = seen;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('unbookedOutflows')
    .values({ network, reference, position, intentKey, destination, amountMicros, intentId })
    .onConflict((conflict) => conflict.columns(['network', 'reference', 'position']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Whether a transfer that the chain showed is still unbooked. */
export async function hasUnbooked(db: Db): Promise<boolean> {
  const row = await db.selectFrom('unbookedOutflows').select('reference').where('intentId', 'is', null).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** The transfer that paid for the subject of a payout. */
export async function findPaidBy(db: Db, subjectId: string): Promise<PaidBy | undefined> {
  const row = await db
    .selectFrom('paymentClaims as c')
    .innerJoin('chainReceipts as r', (join) => join.onRef('r.caip2', '=', 'c.caip2').onRef('r.reference', '=', 'c.reference'))
    .select(['r.network', 'c.reference'])
    .where('c.subjectId', '=', subjectId)
    .executeTakeFirst();
  return row as PaidBy | undefined;
}

/** An unbooked outgoing transfer that names this intent. */
export async function findUnbooked(db: Db, intentKeys: readonly string[]): Promise<UnbookedRow | undefined> {
  if (intentKeys.length === 0) return undefined;
  return await db
    .selectFrom('unbookedOutflows')
    .selectAll()
    .where('intentId', 'is', null)
    .where('intentKey', 'in', [...intentKeys])
    .executeTakeFirst();
}

/** The destination of an unbooked transfer that names this intent. */
export async function findUnbookedDestination(db: Db, intentKey: string): Promise<string | undefined> {
  return (await findUnbooked(db, [intentKey]))?.destination;
}

export async function assignUnbooked(
  tx: Tx,
  row: Pick<UnbookedRow, 'network' | 'reference' | 'position'>,
  payoutId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('unbookedOutflows')
    .set({ intentId: payoutId })
    .where('network', '=', row.network)
    .where('reference', '=', row.reference)
    .where('position', '=', row.position)
    .where('intentId', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The largest payout of each destination that waits for its token account. Once it may leave, the others follow. */
export async function listWaitingForAccount(db: Db, limit: number): Promise<PayoutRow[]> {
  const rows = await db
    .selectFrom('payouts')
    .selectAll()
    .where('parkedFor', '=', 'account')
    .distinctOn(['network', 'destination'])
    .orderBy('network')
    .orderBy('destination')
    .orderBy('amountMicros', 'desc')
    .limit(limit)
    .execute();
  return rows as PayoutRow[];
}

export async function queueWaitingForAccount(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .updateTable('payouts')
    .set({ state: 'queued', reason: null, parkedFor: null, updatedAt: sql`market_now()` })
    .where('id', 'in', [...ids])
    .where('state', '=', 'parked')
    .where('parkedFor', '=', 'account')
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function listWaitingAt(db: Db, network: NetworkName, destination: string): Promise<string[]> {
  const rows = await db
    .selectFrom('payouts')
    .select('id')
    .where('parkedFor', '=', 'account')
    .where('network', '=', network)
    .where('destination', '=', destination)
    .execute();
  return rows.map(({ id }) => id);
}

export interface PayoutGauges {
  readonly closed: number;
  readonly hourMicros: bigint;
  readonly queued: number;
  readonly parked: number;
}

export async function readPayoutGauges(db: Db): Promise<PayoutGauges> {
  const { rows } = await sql<PayoutGauges>`
    select (select count(*) from outflow_gate where reason is not null)::int as closed,
      coalesce((select sum(amount_micros) from payouts where id in
        (select intent_id from outgoing_attempts where created_at > market_now() - interval '1 hour')), 0)::bigint as "hourMicros",
      (select count(*) from payouts where state = 'queued')::int as queued,
      (select count(*) from payouts where state = 'parked')::int as parked`.execute(db);
  return rows[0] ?? { closed: 0, hourMicros: 0n, queued: 0, parked: 0 };
}

/** Whether the delay of this payout was already announced. */
export async function isDelayAnnounced(tx: Tx, { id, subjectId }: Pick<PayoutRow, 'id' | 'subjectId'>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from events where subject_id = ${subjectId} and type = 'payout.delayed' and data->>'payout_id' = ${id} limit 1`.execute(tx);
  return rows.length > 0;
}
