/**
 * The SQL of presentations that do not prove the payer. One row per transfer that was presented by its hash alone, or that names a request
 * which others may know.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { TransferKey } from './repository.ts';

export interface Presentation extends TransferKey {
  readonly payer: string;
  /** The purchase; null if the transfer was refused. */
  readonly subjectId: string | null;
}

/** False when nothing changed: this transfer was refused before, or has bought something. */
export async function notePresentation(tx: Tx, { caip2, reference, payer, subjectId }: Presentation): Promise<boolean> {
  const { rows } = await sql<{ one: number }>`
    insert into bare_presentations as p (caip2, reference, payer, subject_id) values (${caip2}, ${reference}, ${payer}, ${subjectId})
    on conflict (caip2, reference) do update set subject_id = excluded.subject_id, presented_at = market_now()
      where p.subject_id is null and excluded.subject_id is not null
    returning 1 as one`.execute(tx);
  return rows.length > 0;
}

/** Records that the transfer moved to another purchase, whose presenter may again be a stranger. */
export async function notePresentationAnew(tx: Tx, { caip2, reference }: TransferKey, subjectId: string): Promise<void> {
  await tx
    .updateTable('barePresentations')
    .set({ subjectId, answerName: null, endedAt: null, endedBy: null, presentedAt: sql`market_now()` })
    .where('caip2', '=', caip2)
    .where('reference', '=', reference)
    .execute();
}

/** Whether the first presenter still has what this claim bought. */
export async function hasOpenPresentation(db: Db, { caip2, reference, subjectId }: TransferKey & Presented): Promise<boolean> {
  const open = db.selectFrom('barePresentations').select('reference').where('caip2', '=', caip2).where('reference', '=', reference);
  return (await open.where('subjectId', '=', subjectId).where('endedAt', 'is', null).executeTakeFirst()) !== undefined;
}

interface Presented {
  readonly subjectId: string;
}

/** Records where the answer to the first presenter is stored. */
export async function noteStoredAnswer(tx: Tx, { caip2, reference }: TransferKey, answerName: string): Promise<void> {
  await tx
    .updateTable('barePresentations')
    .set({ answerName })
    .where('caip2', '=', caip2)
    .where('reference', '=', reference)
    .where('subjectId', 'is not', null)
    .execute();
}

/**
 * Ends the access of the first presenter, once; undefined if it had ended. `vouched`: the payer and the first presenter came in one
 * request.
 */
export async function endPresentation(
  tx: Tx,
  { caip2, reference }: TransferKey,
  subjectId: string,
  by: 'proof' | 'vouched',
): Promise<{ readonly answerName: string | null } | undefined> {
  return await tx
    .updateTable('barePresentations')
    .set({ endedAt: sql`market_now()`, endedBy: by })
    .where('caip2', '=', caip2)
    .where('reference', '=', reference)
    .where('subjectId', '=', subjectId)
    .where('endedAt', 'is', null)
    .returning('answerName')
    .executeTakeFirst();
}

/** The accounts that a wallet is linked to. */
export async function listAccountsOf(db: Db, wallet: string): Promise<string[]> {
  const rows = await db.selectFrom('userWallets').select('userId').where('address', '=', wallet).execute();
  return rows.map(({ userId }) => userId);
}
