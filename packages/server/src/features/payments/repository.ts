/** The SQL of money in. */
import type { NetworkName } from '@market/contract';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Finality, Receipt } from '../../platform/chains/chain.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type { ChainReceiptsTable, PaymentClaimMovesTable, PaymentClaimsTable } from '../../platform/db/schema.generated.ts';

export type ClaimRow = Omit<Selectable<PaymentClaimsTable>, 'number'>;
type ClaimMovesRow = Selectable<PaymentClaimMovesTable>;
export type ReceiptRow = Selectable<ChainReceiptsTable>;

export interface TransferKey {
  readonly caip2: string;
  readonly reference: string;
}

export async function findClaim(db: Db, { caip2, reference }: TransferKey): Promise<ClaimRow | undefined> {
  return await db.selectFrom('paymentClaims').selectAll().where('caip2', '=', caip2).where('reference', '=', reference).executeTakeFirst();
}

/** False when it is recorded already. */
export async function insertReceipt(tx: Tx, key: TransferKey, network: NetworkName, receipt: Receipt, payer: string): Promise<boolean> {
  const { receivedMicros, blockNumber, blockTime, finality, notes } = receipt;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('chainReceipts')
    .values({
      caip2: key.caip2,
      reference: key.reference,
      network,
      payer,
      receivedMicros,
      blockNumber,
      blockTime,
      finality,
      notes: [...notes],
    })
    .onConflict((conflict) => conflict.columns(['caip2', 'reference']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Updates the block of a receipt, and the finality, amount and payer that count. */
export async function updateReceipt(
  tx: Tx,
  { caip2, reference }: TransferKey,
  { blockNumber, blockTime, notes }: Pick<Receipt, 'blockNumber' | 'blockTime' | 'notes'>,
  { finality, receivedMicros, payer }: Pick<ReceiptRow, 'finality' | 'receivedMicros' | 'payer'>,
): Promise<void> {
  await tx
    .updateTable('chainReceipts')
    .set({ blockNumber, blockTime, finality, receivedMicros, payer, checkedAt: sql`market_now()` })
    // A later read may not have asked for the notes.
    .$if(notes.length > 0, (update) => update.set({ notes: [...notes] }))
    .where('caip2', '=', caip2)
    .where('reference', '=', reference)
    .execute();
}

/** False when the transfer is already claimed. */
export async function insertClaim(
  tx: Tx,
  claim: TransferKey & Pick<ClaimRow, 'purpose' | 'subjectId' | 'payer' | 'amountMicros' | 'priceMicros' | 'proof' | 'contestableUntil'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('paymentClaims')
    .values(claim)
    .onConflict((conflict) => conflict.columns(['caip2', 'reference']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** The row is locked until the transaction ends. */
export async function lockClaim(tx: Tx, { caip2, reference }: TransferKey): Promise<ClaimRow | undefined> {
  return await tx
    .selectFrom('paymentClaims')
    .selectAll()
    .where('caip2', '=', caip2)
    .where('reference', '=', reference)
    .forUpdate()
    .executeTakeFirst();
}

/** The claim that paid for this subject, if its first presenter may be a stranger and still has what it bought. */
export async function findUnprovenClaim(db: Db, subjectId: string): Promise<ClaimRow | undefined> {
  return await db
    .selectFrom('paymentClaims as c')
    .selectAll('c')
    .where('c.subjectId', '=', subjectId)
    .where(({ eb, exists, selectFrom, or, and }) =>
      or([
        eb('c.proof', '=', 'bare'),
        and([
          eb('c.proof', '=', 'reference'),
          exists(
            selectFrom('barePresentations as p')
              .select('p.reference')
              .whereRef('p.caip2', '=', 'c.caip2')
              .whereRef('p.reference', '=', 'c.reference')
              .whereRef('p.subjectId', '=', 'c.subjectId')
              .where('p.endedAt', 'is', null),
          ),
        ]),
      ]),
    )
    .executeTakeFirst();
}

/** False when it was proven or moved meanwhile. */
export async function markProven(tx: Tx, { caip2, reference, subjectId }: ClaimRow, proof: 'wallet' | 'reference'): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('paymentClaims')
    .set({ proof, contestableUntil: null })
    .where('caip2', '=', caip2)
    .where('reference', '=', reference)
    .where('subjectId', '=', subjectId)
    .where('proof', 'in', ['bare', 'reference'])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Hands a claim to another subject and keeps who held it. Returns the new claim and how often it has moved. The row must be locked. */
export async function moveClaimRow(
  tx: Tx,
  held: ClaimRow & { readonly contestableUntil: Date },
  to: Pick<ClaimRow, 'purpose' | 'subjectId' | 'priceMicros'> & { readonly proof: Exclude<ClaimMovesRow['proof'], undefined> },
): Promise<{ claim: ClaimRow; number: number }> {
  const { caip2, reference } = held;
  const { number } = await tx
    .insertInto('paymentClaimMoves')
    .values({
      caip2,
      reference,
      number: sql<number>`(select count(*) + 1 from payment_claim_moves where caip2 = ${caip2} and reference = ${reference})`,
      fromPurpose: held.purpose,
      fromSubjectId: held.subjectId,
      fromPriceMicros: held.priceMicros,
      contestableUntil: held.contestableUntil,
      toPurpose: to.purpose,
      toSubjectId: to.subjectId,
      toPriceMicros: to.priceMicros,
      proof: to.proof,
      claimedAt: held.claimedAt,
    })
    .returning('number')
    .executeTakeFirstOrThrow();
  const claim = await tx
    .updateTable('paymentClaims')
    .set({ ...to, contestableUntil: null, claimedAt: sql`market_now()` })
    .where('caip2', '=', caip2)
    .where('reference', '=', reference)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { claim, number };
}

/** Receipts to look at again, the longest unseen first: those not final yet, and those taken back lately, which may be included again. */
export async function listOpenReceipts(db: Db, caip2: string, limit: number): Promise<ReceiptRow[]> {
  return await db
    .selectFrom('chainReceipts')
    .selectAll()
    .where('caip2', '=', caip2)
    .where((row) =>
      row.or([
        row('finality', 'in', ['seen', 'confirmed']),
        row.and([row('finality', '=', 'gone'), row('recordedAt', '>', sql<Date>`market_now() - interval '7 days'`)]),
      ]),
    )
    .orderBy('checkedAt')
    .limit(limit)
    .execute();
}

export async function writeFinality(tx: Tx, key: TransferKey, finality: Finality | 'gone'): Promise<void> {
  await tx
    .updateTable('chainReceipts')
    .set({ finality, checkedAt: sql`market_now()` })
    .where('caip2', '=', key.caip2)
    .where('reference', '=', key.reference)
    .execute();
}

export interface WatchCursor {
  readonly cursor: string | null;
  /** True: write the cursor again even if nothing was found since. */
  readonly isOld: boolean;
}

export interface Watched {
  readonly cursors: ReadonlyMap<string, WatchCursor>;
  /** Whether `listOpenReceipts` may find something. */
  readonly hasOpenReceipts: boolean;
}

/** One statement, because most rounds find nothing to do. */
export async function readWatched(db: Db): Promise<Watched> {
  const { rows } = await sql<{ cursors: readonly (WatchCursor & { caip2: string })[] | null; hasOpenReceipts: boolean }>`
    select (select json_agg(json_build_object('caip2', caip2, 'cursor', cursor, 'isOld', updated_at < market_now() - interval '30 seconds'))
            from chain_cursors) as cursors,
      exists (select 1 from chain_receipts where finality in ('seen', 'confirmed'))
        or exists (select 1 from chain_receipts where finality = 'gone' and recorded_at > market_now() - interval '7 days') as "hasOpenReceipts"`.execute(
    db,
  );
  const { cursors = null, hasOpenReceipts = false } = rows[0] ?? {};
  return { cursors: new Map((cursors ?? []).map(({ caip2, ...cursor }) => [caip2, cursor])), hasOpenReceipts };
}

export async function writeCursor(tx: Tx, caip2: string, cursor: string | null): Promise<void> {
  await tx.executeQuery(
    deferred(
      `insert into chain_cursors (caip2, cursor) values ($1, $2)
       on conflict (caip2) do update set cursor = excluded.cursor, updated_at = market_now()`,
      [caip2, cursor],
    ),
  );
}

/** References not in the database. */
export async function findUnknownReferences(db: Db, caip2: string, references: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ reference: string }>`
    select l.reference from unnest(${[...references]}::text[]) with ordinality as l (reference, place)
    where not exists (select 1 from chain_receipts r where r.caip2 = ${caip2} and r.reference = l.reference) order by l.place`.execute(db);
  return rows.map(({ reference }) => reference);
}

/** True when everything that was paid for this subject, or by this payer, is final on its chain. */
export async function areReceiptsFinal(db: Db, of: { readonly subjectId: string } | { readonly payer: string }): Promise<boolean> {
  const [column, value] =
    'payer' in of ? (['paymentClaims.payer', of.payer] as const) : (['paymentClaims.subjectId', of.subjectId] as const);
  const row = await db
    .selectFrom('paymentClaims')
    .innerJoin('chainReceipts', (join) =>
      join.onRef('chainReceipts.caip2', '=', 'paymentClaims.caip2').onRef('chainReceipts.reference', '=', 'paymentClaims.reference'),
    )
    .select('chainReceipts.reference')
    .where(column, '=', value)
    .where('chainReceipts.finality', '!=', 'final')
    .executeTakeFirst();
  return row === undefined;
}

/** True while a payment for this subject is reverted. */
export async function isPaymentReverted(db: Db, subjectId: string): Promise<boolean> {
  const row = await db
    .selectFrom('paymentClaims')
    .innerJoin('chainReceipts', (join) =>
      join.onRef('chainReceipts.caip2', '=', 'paymentClaims.caip2').onRef('chainReceipts.reference', '=', 'paymentClaims.reference'),
    )
    .select('chainReceipts.reference')
    .where('paymentClaims.subjectId', '=', subjectId)
    .where('chainReceipts.finality', '=', 'gone')
    .executeTakeFirst();
  return row !== undefined;
}

/** Claimed amounts on a network that its chain may still revert, or has reverted. */
export async function readUnfinalMicros(db: Db, network: NetworkName): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(c.amount_micros), 0)::bigint as micros from chain_receipts r join payment_claims c using (caip2, reference)
    where r.network = ${network} and r.finality <> 'final'`.execute(db);
  return rows[0]?.micros ?? 0n;
}

/** As `findReceipt`, without a lock. */
export async function readReceiptRow(db: Db, { caip2, reference }: TransferKey): Promise<ReceiptRow | undefined> {
  return await db.selectFrom('chainReceipts').selectAll().where('caip2', '=', caip2).where('reference', '=', reference).executeTakeFirst();
}

export async function findReceipt(db: Db, { caip2, reference }: TransferKey): Promise<ReceiptRow | undefined> {
  return await db
    .selectFrom('chainReceipts')
    .selectAll()
    .where('caip2', '=', caip2)
    .where('reference', '=', reference)
    .forUpdate()
    .executeTakeFirst();
}

const unmatchedOrder: readonly SortKey<ReceiptRow>[] = [
  { column: sql`r.block_time`, type: 'timestamptz', of: (row) => row.blockTime },
  { column: sql`r.reference`, type: 'text', of: (row) => row.reference },
];

/** Unclaimed transfers, newest first. */
export async function listUnmatched(
  db: Db,
  page: { readonly q?: string | undefined; readonly limit: number; readonly offset: number; readonly cursor?: string | undefined },
): Promise<{ rows: ReceiptRow[]; total: number; nextCursor: string | null }> {
  const waiting = sql`
    from chain_receipts r join ledger_accounts a on a.kind = 'unmatched' and a.owner = r.network || '/' || r.reference
    where a.balance_micros > 0 and ${holdsText(page.q, sql`r.network, r.reference, r.payer`)}`;
  const beyond = page.cursor === undefined ? sql<boolean>`true` : beyondCursor('unmatched', unmatchedOrder, page.cursor);
  const { rows } = await sql<ReceiptRow>`
    select r.* ${waiting} and ${beyond} order by r.block_time desc, r.reference desc
    limit ${page.limit + 1} offset ${page.cursor === undefined ? page.offset : 0}`.execute(db);
  const count = await sql<{ count: number }>`select count(*)::int as count ${waiting}`.execute(db);
  return {
    ...cutPage(rows, page.limit, 'unmatched', unmatchedOrder),
    total: count.rows[0]?.count ?? 0,
  };
}

/** Whether we sent this transfer out of an agent's wallet as its deposit into Earn. */
export async function isAgentDeposit(db: Db, reference: string): Promise<boolean> {
  const row = await db
    .selectFrom('outgoingAttempts as a')
    .innerJoin('walletMovements as m', 'm.id', 'a.intentId')
    .select('m.id')
    .where('a.reference', '=', reference)
    .where('m.purpose', '=', 'earn_deposit')
    .executeTakeFirst();
  return row !== undefined;
}

/** Movements that we signed out of this wallet within a day. A signed transfer expires within the hour. */
export async function listRecentMovements(
  db: Db,
  { network, wallet }: { readonly network: NetworkName; readonly wallet: string },
): Promise<readonly { readonly id: string; readonly signedBytes: string }[]> {
  return await db
    // Start from the agent's wallet, whose address has an index.
    .selectFrom('agentWallets as w')
    .innerJoin('walletMovements as m', 'm.agentId', 'w.agentId')
    .innerJoin('outgoingAttempts as a', 'a.intentId', 'm.id')
    .select(['m.id', 'a.signedBytes'])
    .where('w.address', '=', wallet)
    .where('m.wallet', '=', wallet)
    .where('m.network', '=', network)
    .where('m.asset', '=', 'usdc')
    .where('a.createdAt', '>', sql<Date>`market_now() - interval '1 day'`)
    .execute();
}
