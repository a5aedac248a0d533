/** The SQL of purchases: standard payments under way, and what each payment bought. */
import type { NetworkName } from '@market/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { X402PaymentsTable, X402PurchasesTable } from '../../../platform/db/schema.generated.ts';
import { KEY_HOURS } from '../../../platform/idempotency/idempotent-answers.ts';

export type PaymentRow = Selectable<X402PaymentsTable>;
export type PurchaseRow = Selectable<X402PurchasesTable>;

export interface PaymentKey {
  readonly caip2: string;
  readonly alias: string;
}

/** Finds the purchase of an earlier payment for the same request. */
export interface Identifier {
  /** The first is stored. The others were stored under former master keys. */
  readonly spellings: readonly string[];
  /** Made of an Idempotency-Key, whose scope tells callers apart. It is good for as long as the key. */
  readonly isKeyed: boolean;
  /** Only the first caller can know it. */
  readonly isProof: boolean;
}

export async function findPayment(db: Db, { caip2, alias }: PaymentKey): Promise<PaymentRow | undefined> {
  return await db.selectFrom('x402Payments').selectAll().where('caip2', '=', caip2).where('alias', '=', alias).executeTakeFirst();
}

/** At most two payments with this identifier that did not fail: callers only ask whether there is more than one. */
export async function listIdentified(
  db: Db,
  { spellings, isKeyed }: Identifier,
  { payer, fingerprint }: { readonly payer?: string; readonly fingerprint?: Buffer } = {},
): Promise<PaymentRow[]> {
  return await db
    .selectFrom('x402Payments')
    .selectAll()
    .where('identifier', 'in', spellings)
    .where('state', '!=', 'failed')
    .$if(isKeyed, (query) => query.where('createdAt', '>', KEYS_END))
    .$if(payer !== undefined, (query) => query.where('payer', '=', payer ?? ''))
    .$if(fingerprint !== undefined, (query) => query.where('fingerprint', '=', fingerprint ?? Buffer.alloc(0)))
    .limit(2)
    .execute();
}

/** Payments from before this time lost their Idempotency-Key, which may name another payment now. */
const KEYS_END = sql<Date>`market_now() - make_interval(hours => ${KEY_HOURS})`;

export async function dropOldIdentifiers(tx: Tx, { spellings }: Identifier): Promise<void> {
  await tx
    .updateTable('x402Payments')
    .set({ identifier: null })
    .where('identifier', 'in', spellings)
    .where('state', '!=', 'failed')
    .where('createdAt', '<=', KEYS_END)
    .execute();
}

export async function lockPayment(tx: Tx, { caip2, alias }: PaymentKey): Promise<PaymentRow> {
  return await tx
    .selectFrom('x402Payments')
    .selectAll()
    .where('caip2', '=', caip2)
    .where('alias', '=', alias)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Claims the key before anything is broadcast; false when another purchase holds it. A failed payment frees its key and begins anew. */
export async function claimPaymentKey(tx: Tx, payment: Insertable<X402PaymentsTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('paymentAliases')
    .values({ caip2: payment.caip2, alias: payment.alias, subjectId: payment.subjectId, reference: null })
    .onConflict((conflict) => conflict.columns(['caip2', 'alias']).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 1n) {
    await tx.insertInto('x402Payments').values(payment).execute();
    return true;
  }
  const { numUpdatedRows } = await tx
    .updateTable('x402Payments')
    .set({
      ...payment,
      state: 'settling',
      reason: null,
      transaction: null,
      signedBytes: null,
      createdAt: sql`market_now()`,
      updatedAt: sql`market_now()`,
    })
    .where('caip2', '=', payment.caip2)
    .where('alias', '=', payment.alias)
    .where('state', '=', 'failed')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The row must be locked. */
export async function settlePayment(tx: Tx, { caip2, alias }: PaymentKey, reference: string): Promise<void> {
  await tx
    .updateTable('x402Payments')
    .set({ state: 'settled', transaction: reference, reason: null, updatedAt: sql`market_now()` })
    .where('caip2', '=', caip2)
    .where('alias', '=', alias)
    .execute();
}

/**
 * Marks the payment as failed; false when another call got further. `sentInVain` is the one transaction known to have failed: another one
 * that was signed since may still land.
 */
export async function failPayment(
  tx: Tx,
  { caip2, alias, subjectId }: PaymentRow,
  { reason, sentInVain }: { readonly reason: string; readonly sentInVain: string | undefined },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('x402Payments')
    // Delete the request: nothing needs it any more, and it belongs to nobody's order, so no closing would find it.
    .set({ state: 'failed', transaction: null, signedBytes: null, request: '{}', reason, updatedAt: sql`market_now()` })
    .where('caip2', '=', caip2)
    .where('alias', '=', alias)
    .where('subjectId', '=', subjectId)
    .where('state', 'in', ['settling', 'unknown'])
    .where((where) => where.or([where('transaction', 'is', null), where('transaction', '=', sentInVain ?? '')]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Keeps the transaction that moved the money. Drops our signed bytes when a third party's transaction did it. */
export async function rememberTransaction(tx: Tx, { caip2, alias }: PaymentKey, reference: string): Promise<void> {
  await tx
    .updateTable('x402Payments')
    .set({
      state: 'unknown',
      transaction: reference,
      signedBytes: sql`case when transaction = ${reference} then signed_bytes end`,
      updatedAt: sql`market_now()`,
    })
    .where('caip2', '=', caip2)
    .where('alias', '=', alias)
    .where('state', 'in', ['settling', 'unknown'])
    .execute();
}

export async function linkTransaction(tx: Tx, { caip2, alias }: PaymentKey, reference: string, subjectId: string): Promise<void> {
  await tx.updateTable('paymentAliases').set({ reference, subjectId }).where('caip2', '=', caip2).where('alias', '=', alias).execute();
}

export async function findPurchase(db: Db, { caip2, reference }: { caip2: string; reference: string }): Promise<PurchaseRow | undefined> {
  return await db.selectFrom('x402Purchases').selectAll().where('caip2', '=', caip2).where('reference', '=', reference).executeTakeFirst();
}

export async function findPurchaseOf(db: Db, subjectId: string): Promise<PurchaseRow | undefined> {
  return await db.selectFrom('x402Purchases').selectAll().where('subjectId', '=', subjectId).executeTakeFirst();
}

export async function insertPurchase(tx: Tx, purchase: Insertable<X402PurchasesTable>): Promise<PurchaseRow> {
  return await tx.insertInto('x402Purchases').values(purchase).returningAll().executeTakeFirstOrThrow();
}

/** The transfer went to another request. The history of its claim keeps the old purpose. */
export async function deletePurchase(tx: Tx, { caip2, reference }: { caip2: string; reference: string }): Promise<void> {
  await tx.deleteFrom('x402Purchases').where('caip2', '=', caip2).where('reference', '=', reference).execute();
}

export interface Unfinished {
  /** Payments that are not settled or failed. */
  readonly open: readonly PaymentKey[];
  /** Registrations whose fee can no longer be contested and is not yet earned. */
  readonly unearned: readonly { readonly subjectId: string; readonly network: NetworkName }[];
}

/** One statement, because it mostly finds nothing. */
export async function listUnfinished(db: Db, limit: number): Promise<Unfinished> {
  const { rows } = await sql<{ open: Unfinished['open'] | null; unearned: Unfinished['unearned'] | null }>`
    select
      (select json_agg(p) from (
         select caip2, alias from x402_payments where state in ('settling', 'unknown') order by updated_at limit ${limit}) p) as open,
      (select json_agg(r) from (
         select c.subject_id as "subjectId", a.network from payment_claims c
         join ledger_accounts a on a.kind = 'escrow' and a.owner = c.subject_id and a.balance_micros > 0
         where c.purpose = 'registration' and c.contestable_until <= market_now() limit ${limit}) r) as unearned`.execute(db);
  return { open: rows[0]?.open ?? [], unearned: rows[0]?.unearned ?? [] };
}

/** Notes that an answer with its secrets was sent. */
export async function markAnswered(db: Db, subjectId: string): Promise<void> {
  await db
    .updateTable('x402Purchases')
    .set({ toldAt: sql`market_now()` })
    .where('subjectId', '=', subjectId)
    .where('toldAt', 'is', null)
    .execute();
}

export async function replaceSealedAnswer(tx: Tx, subjectId: string, sealedAnswer: string): Promise<void> {
  await tx.updateTable('x402Purchases').set({ sealedAnswer }).where('subjectId', '=', subjectId).execute();
}
