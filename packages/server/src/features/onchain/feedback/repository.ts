/** The SQL of reviews that are published on chain. */
import type { AgentId, OrderId, ReviewId } from '@market/contract';
import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { OnchainFeedbackTable } from '../../../platform/db/schema.generated.ts';

export type FeedbackRow = Omit<Selectable<OnchainFeedbackTable>, 'reviewId' | 'orderId' | 'agentId'> & {
  readonly reviewId: ReviewId;
  readonly orderId: OrderId;
  readonly agentId: AgentId;
};

/** Stores a prepared file. The same review and wallet give the same file, so a repeated call changes nothing. */
export async function insertFeedback(
  tx: Tx,
  feedback: Omit<FeedbackRow, 'state' | 'txHash' | 'feedbackIndex' | 'createdAt' | 'sentAt' | 'publishedAt'>,
): Promise<FeedbackRow> {
  await tx
    .insertInto('onchainFeedback')
    .values({ ...feedback, txHash: null, feedbackIndex: null, sentAt: null, publishedAt: null })
    .onConflict((conflict) => conflict.column('fileHash').doNothing())
    .execute();
  const row = await findFeedback(tx, feedback.fileHash);
  if (row === undefined) throw new Error(`the feedback file ${feedback.fileHash} is gone`);
  return row;
}

export async function findFeedback(db: Db, fileHash: string): Promise<FeedbackRow | undefined> {
  return (await db.selectFrom('onchainFeedback').selectAll().where('fileHash', '=', fileHash).executeTakeFirst()) as
    | FeedbackRow
    | undefined;
}

/** A file, with the status that decides whether strangers may read it. */
export async function findFile(db: Db, fileHash: string): Promise<{ file: string; moderationStatus: string } | undefined> {
  return await db
    .selectFrom('onchainFeedback as f')
    .innerJoin('agents as a', 'a.id', 'f.agentId')
    .select(['f.file', 'a.moderationStatus'])
    .where('f.fileHash', '=', fileHash)
    // Empty after its buyer closed the account.
    .where('f.file', '!=', '')
    .executeTakeFirst();
}

export async function listFeedback(db: Db, reviewId: ReviewId): Promise<FeedbackRow[]> {
  return (await db
    .selectFrom('onchainFeedback')
    .selectAll()
    .where('reviewId', '=', reviewId)
    .orderBy('createdAt', 'desc')
    .execute()) as FeedbackRow[];
}

/** Locks the review until the transaction ends, so that concurrent calls are serialised. */
export async function lockFeedback(tx: Tx, reviewId: ReviewId): Promise<FeedbackRow[]> {
  await tx.selectFrom('reviews').select('id').where('id', '=', reviewId).forUpdate().execute();
  return await listFeedback(tx, reviewId);
}

export async function markSent(tx: Tx, fileHash: string, txHash: string, sentAt: Date): Promise<void> {
  await tx
    .updateTable('onchainFeedback')
    .set({ state: 'sent', txHash, sentAt })
    .where('fileHash', '=', fileHash)
    .where('state', '=', 'prepared')
    .execute();
}

/** Back to prepared, because the chain reverted the publication. False when another process was faster. */
export async function markUnsent(tx: Tx, { fileHash, txHash }: Pick<FeedbackRow, 'fileHash' | 'txHash'>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('onchainFeedback')
    .set({ state: 'prepared', txHash: null, sentAt: null })
    .where('fileHash', '=', fileHash)
    .where('state', '=', 'sent')
    .where('txHash', '=', txHash)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks file and review as published; public lists show the review's mark. False when another process was faster. */
export async function markPublished(
  tx: Tx,
  { fileHash, txHash, reviewId }: Pick<FeedbackRow, 'fileHash' | 'txHash' | 'reviewId'>,
  feedbackIndex: bigint,
  publishedAt: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('onchainFeedback')
    .set({ state: 'published', feedbackIndex, publishedAt })
    .where('fileHash', '=', fileHash)
    .where('state', '=', 'sent')
    .where('txHash', '=', txHash)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await tx.updateTable('reviews').set({ onchainTxHash: txHash, onchainAt: publishedAt }).where('id', '=', reviewId).execute();
  return true;
}
