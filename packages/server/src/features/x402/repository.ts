/** The SQL of machine hires: standard payments on their way, and what each payment bought. */
import type { OrderId } from '@market/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { MachineHiresTable, X402PaymentsTable } from '../../platform/db/schema.generated.ts';

export type PaymentRow = Selectable<X402PaymentsTable>;
export type HireRow = Selectable<MachineHiresTable>;

export interface AliasKey {
  readonly caip2: string;
  readonly alias: string;
}

export async function findPayment(db: Db, { caip2, alias }: AliasKey): Promise<PaymentRow | undefined> {
  return await db.selectFrom('x402Payments').selectAll().where('caip2', '=', caip2).where('alias', '=', alias).executeTakeFirst();
}

export async function lockPayment(tx: Tx, { caip2, alias }: AliasKey): Promise<PaymentRow> {
  return await tx
    .selectFrom('x402Payments')
    .selectAll()
    .where('caip2', '=', caip2)
    .where('alias', '=', alias)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Takes the payment's name before anything is broadcast; false when somebody else holds it. One that failed moved nothing and is free again. */
export async function claimAlias(tx: Tx, payment: Insertable<X402PaymentsTable>): Promise<boolean> {
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
    .set({ ...payment, state: 'settling', reason: null, transaction: null, signedBytes: null, updatedAt: sql`market_now()` })
    .where('caip2', '=', payment.caip2)
    .where('alias', '=', payment.alias)
    .where('state', '=', 'failed')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The row must be locked. */
export async function settlePayment(tx: Tx, { caip2, alias }: AliasKey, reference: string): Promise<void> {
  await tx
    .updateTable('x402Payments')
    .set({ state: 'settled', transaction: reference, reason: null, updatedAt: sql`market_now()` })
    .where('caip2', '=', caip2)
    .where('alias', '=', alias)
    .execute();
}

/**
 * Ends it as if it had never been sent; false when it has got further meanwhile. `sentInVain` is the one transaction known to have failed:
 * another one that was signed meanwhile may still land.
 */
export async function failPayment(
  tx: Tx,
  { caip2, alias, subjectId }: PaymentRow,
  { reason, sentInVain }: { readonly reason: string; readonly sentInVain: string | undefined },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('x402Payments')
    .set({ state: 'failed', transaction: null, signedBytes: null, reason, updatedAt: sql`market_now()` })
    .where('caip2', '=', caip2)
    .where('alias', '=', alias)
    .where('subjectId', '=', subjectId)
    .where('state', 'in', ['settling', 'unknown'])
    .where((where) => where.or([where('transaction', 'is', null), where('transaction', '=', sentInVain ?? '')]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Where the money moved. What we signed is forgotten when somebody else's transaction did it. */
export async function rememberTransaction(tx: Tx, { caip2, alias }: AliasKey, reference: string): Promise<void> {
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

export async function nameTransaction(tx: Tx, { caip2, alias }: AliasKey, reference: string, subjectId: string): Promise<void> {
  await tx.updateTable('paymentAliases').set({ reference, subjectId }).where('caip2', '=', caip2).where('alias', '=', alias).execute();
}

export async function listOpenPayments(db: Db, limit: number): Promise<AliasKey[]> {
  return await db
    .selectFrom('x402Payments')
    .select(['caip2', 'alias'])
    .where('state', 'in', ['settling', 'unknown'])
    .orderBy('updatedAt')
    .limit(limit)
    .execute();
}

export async function findHire(db: Db, { caip2, reference }: { caip2: string; reference: string }): Promise<HireRow | undefined> {
  return await db.selectFrom('machineHires').selectAll().where('caip2', '=', caip2).where('reference', '=', reference).executeTakeFirst();
}

export async function findHireOf(db: Db, subjectId: string): Promise<HireRow | undefined> {
  return await db.selectFrom('machineHires').selectAll().where('subjectId', '=', subjectId).executeTakeFirst();
}

export async function insertHire(tx: Tx, hire: Insertable<MachineHiresTable>): Promise<void> {
  await tx.insertInto('machineHires').values(hire).execute();
}

export async function insertOrderToken(tx: Tx, tokenHash: Buffer, orderId: OrderId): Promise<void> {
  await tx.insertInto('orderTokens').values({ tokenHash, orderId }).execute();
}
