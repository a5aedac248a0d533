/** The SQL of creator fees. Every change of a payout's state names the state it comes from. */
import type { AgentId, FeePath } from '@market/contract';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { CreatorFeePayoutsTable, CreatorFeeReceiptsTable } from '../../../platform/db/schema.generated.ts';
import { type IntentChange, moveIntent } from '../../outgoing/index.ts';

export type ReceiptRow = Selectable<CreatorFeeReceiptsTable>;
export type FeePayoutRow = Selectable<CreatorFeePayoutsTable>;
export type FeePayoutState = FeePayoutRow['state'];

export interface TokenOnRecord {
  readonly mint: string;
  readonly agentId: AgentId;
  readonly path: FeePath;
  readonly creatorWallet: string;
}

/** The tokens on record among these addresses. Tokens launched here have a launch partner. */
export async function findTokens(db: Db, addresses: readonly string[]): Promise<readonly TokenOnRecord[]> {
  if (addresses.length === 0) return [];
  const { rows } = await sql<TokenOnRecord>`
    select token_mint as mint, id as agent_id, case when token_mode = 'partner' then 'partner' else 'legacy' end as path,
           token_creator_wallet as creator_wallet
    from agents where token_mint = any(${addresses})`.execute(db);
  return rows;
}

export async function readCursor(db: Db): Promise<string | null> {
  return (await db.selectFrom('creatorFeeProgress').select('cursor').executeTakeFirst())?.cursor ?? null;
}

/** False when another round has read on meanwhile. */
export async function moveCursor(tx: Tx, from: string | null, to: string | null): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('creatorFeeProgress')
    .set({ cursor: to })
    .where(sql<boolean>`cursor is not distinct from ${from}`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** False when this part of the transaction is booked already. */
export async function insertReceipt(tx: Tx, receipt: Insertable<CreatorFeeReceiptsTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('creatorFeeReceipts')
    .values(receipt)
    .onConflict((conflict) => conflict.columns(['reference', 'part']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Locks the part of a transaction that belongs to no token, if there is one. */
export async function lockReceipt(tx: Tx, reference: string): Promise<ReceiptRow | undefined> {
  const parts = await tx
    .selectFrom('creatorFeeReceipts')
    .selectAll()
    .where('reference', '=', reference)
    .orderBy('part')
    .forUpdate()
    .execute();
  return parts.find(({ mint }) => mint === null) ?? parts[0];
}

type Assignment = Pick<ReceiptRow, 'mint' | 'agentId' | 'path' | 'agentLamports' | 'partnerLamports' | 'buybackLamports'>;

export async function assignReceipt(
  tx: Tx,
  { reference, part }: Pick<ReceiptRow, 'reference' | 'part'>,
  assignment: Assignment,
): Promise<void> {
  await tx.updateTable('creatorFeeReceipts').set(assignment).where('reference', '=', reference).where('part', '=', part).execute();
}

export async function listReceipts(db: Db, limit: number): Promise<ReceiptRow[]> {
  return await db
    .selectFrom('creatorFeeReceipts')
    .selectAll()
    .orderBy('bookedAt', 'desc')
    .orderBy('reference', 'desc')
    .orderBy('part')
    .limit(limit)
    .execute();
}

export async function insertFeePayout(
  tx: Tx,
  payout: Pick<FeePayoutRow, 'id' | 'share' | 'agentId' | 'mint' | 'recipientWallet' | 'lamports' | 'feeReserveLamports' | 'createdBy'>,
): Promise<void> {
  const { id, share, agentId, mint, recipientWallet: destination, lamports: amount, feeReserveLamports, createdBy } = payout;
  const intent = { id, purpose: 'creator_fee', subjectId: mint ?? share, network: 'solana-mainnet', payer: 'creator_fees' } as const;
  await tx
    .with('intent', (db) => db.insertInto('outgoingIntents').values({ ...intent, destination, asset: 'native', amount }))
    .insertInto('creatorFeeClaims')
    .values({ id, share, agentId, mint, feeReserveLamports, createdBy })
    .execute();
}

/** The ids of all payouts of this share so far, failed ones too. */
export async function listFeePayoutIds(db: Db, { share, mint }: Pick<FeePayoutRow, 'share' | 'mint'>): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('creatorFeePayouts')
    .select('id')
    .where('share', '=', share)
    .where(sql<boolean>`mint is not distinct from ${mint}`)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * The amount that a token earned while it was this agent's, less what left for it. The share in the books belongs to the token: an operator
 * may have cleared the token since, and another agent may have it.
 */
export function owedTo({ agentId, mint }: { readonly agentId: string; readonly mint: string | RawBuilder<unknown> }): RawBuilder<bigint> {
  return sql<bigint>`(
    coalesce((select sum(o.agent_lamports) from creator_fee_receipts o where o.agent_id = ${agentId} and o.mint = ${mint}), 0)
    - coalesce((select sum(p.lamports) from creator_fee_payouts p
                where p.share = 'agent' and p.agent_id = ${agentId} and p.mint = ${mint} and p.state <> 'failed'), 0))::bigint`;
}

export async function readOwedTo(db: Db, of: { readonly agentId: string; readonly mint: string }): Promise<bigint> {
  const { rows } = await sql<{ owed: bigint }>`select greatest(0, ${owedTo(of)})::bigint as owed`.execute(db);
  return rows[0]?.owed ?? 0n;
}

/** Every share that has ever been owed anything. */
export async function listFeeShares(db: Db): Promise<readonly Pick<FeePayoutRow, 'share' | 'mint' | 'agentId'>[]> {
  const rows = await db.selectFrom('creatorFeeReceipts').select(['mint', 'agentId']).distinct().where('mint', 'is not', null).execute();
  return [
    ...(['partner', 'buyback'] as const).map((share) => ({ share, mint: null, agentId: null })),
    ...rows.map(({ mint, agentId }) => ({ share: 'agent' as const, mint, agentId })),
  ];
}

/** The references that the books explain. */
export async function listKnownFeeReferences(db: Db, references: readonly string[]): Promise<ReadonlySet<string>> {
  if (references.length === 0) return new Set();
  const list = sql.val([...references]);
  const { rows } = await sql<{ reference: string }>`
    select a.reference from outgoing_attempts a join creator_fee_payouts p on p.id = a.intent_id where a.reference = any(${list}::text[])
    union select reference from outgoing_intents where purpose = 'creator_fee' and reference = any(${list}::text[])
    union select reference from found_outflows where reference = any(${list}::text[])`.execute(db);
  return new Set(rows.map(({ reference }) => reference));
}

export async function findFeePayout(db: Db, id: string): Promise<FeePayoutRow | undefined> {
  return await db.selectFrom('creatorFeePayouts').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Payouts of the agent's share to this address that are not signed yet. */
export async function listQueuedTo(tx: Tx, agentId: AgentId, recipientWallet: string): Promise<FeePayoutRow[]> {
  const queued = tx.selectFrom('creatorFeePayouts').selectAll().where('state', '=', 'queued').where('share', '=', 'agent');
  return await queued.where('agentId', '=', agentId).where('recipientWallet', '=', recipientWallet).execute();
}

/** Changes nothing if the payout was signed meanwhile. */
export async function writeRecipient(tx: Tx, id: string, recipientWallet: string): Promise<void> {
  await tx
    .updateTable('outgoingIntents')
    .set({ destination: recipientWallet })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute();
}

export async function listFeePayouts(db: Db, wallet: string | undefined, limit: number): Promise<FeePayoutRow[]> {
  let query = db.selectFrom('creatorFeePayouts').selectAll();
  if (wallet !== undefined) query = query.where('recipientWallet', '=', wallet);
  return await query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Reads the work of one round in one statement, which is all that an idle market costs. */
export async function readRound(db: Db, limit: number): Promise<{ readonly cursor: string | null; readonly open: readonly string[] }> {
  const { rows } = await sql<{ cursor: string | null; open: string[] }>`
    select cursor, array(select id from creator_fee_payouts where state in ('queued', 'signed', 'sent', 'unknown') order by updated_at limit ${limit}) as open
    from creator_fee_progress`.execute(db);
  return rows[0] ?? { cursor: null, open: [] };
}

interface Ended {
  readonly networkFeeLamports: bigint;
}

/** Compare-and-set; false when the payout is no longer in one of `from`. */
export async function moveFeePayout(
  tx: Tx,
  id: string,
  from: readonly FeePayoutState[],
  change: IntentChange & { readonly state: FeePayoutState },
  paid?: Ended,
): Promise<boolean> {
  if (!(await moveIntent(tx, id, from, change))) return false;
  if (paid !== undefined)
    await tx
      .updateTable('creatorFeeClaims')
      .set({ ...paid, paidAt: sql<Date>`market_now()` })
      .where('id', '=', id)
      .execute();
  return true;
}
