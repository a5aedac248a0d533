/** The SQL of contest windows: whether one is open, and their end after a restore. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

export async function isContestable(db: Db, subjectId: string): Promise<boolean> {
  const { rows } = await sql`select from payment_claims where subject_id = ${subjectId} and contestable_until > market_now()`.execute(db);
  return rows.length > 0;
}

/**
 * After a restore: gives more time to windows that were open at the backup, because a lost contest must be possible again. Windows over
 * before `overBy` stay over: their results have been shown. A payment that was paid out cannot be contested. Returns how many windows got
 * more time.
 */
export async function extendContests(tx: Tx, { notBefore, overBy }: { readonly notBefore: Date; readonly overBy: Date }): Promise<number> {
  const { numAffectedRows } = await sql`
    update payment_claims c set contestable_until = ${notBefore}
    where contestable_until > ${overBy} and contestable_until < ${notBefore}
      and not exists (select from settlements s where s.order_id = c.subject_id)
      and not exists (select from ledger_transfers t where t.idempotency_key = 'registration_earned:' || c.subject_id)`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Ends a window because the chain shows the lost books' payout for this purchase: there the window was over. */
export async function endContest(tx: Tx, subjectId: string, at: Date): Promise<void> {
  await sql`update payment_claims set contestable_until = ${at} where subject_id = ${subjectId} and contestable_until > ${at}`.execute(tx);
}
