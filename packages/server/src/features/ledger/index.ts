/** Double-entry books: every movement of money is a posting in the transaction that causes it. */
import { z } from 'zod';
import type { Db, Tx } from '../../platform/db/database.ts';
import { writeLast } from '../../platform/db/last-writes.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { insertPosting, insertPostings, type Posting, sealTransfers } from './repository.ts';

/** Posts a movement; entries of zero are left out, and a posting without entries is not written. */
export async function post(tx: Tx, posting: Posting): Promise<boolean> {
  const entries = posting.entries.filter(({ micros }) => micros !== 0n);
  if (entries.length === 0) return false;
  return await insertPosting(tx, { ...posting, entries });
}

/**
 * Same as `post`, but runs together with the commit. All orders share the fee account, so it must be locked for a moment only. Nothing in
 * the same transaction sees the new balances.
 */
export function postLast(tx: Tx, posting: Posting): void {
  const entries = posting.entries.filter(({ micros }) => micros !== 0n);
  if (entries.length > 0) writeLast(tx, insertPostings, [{ ...posting, entries }], insertPostings, 'books');
}

const SEALS_PER_ROUND = 500;

/** Seals every posting that waits for its seal. */
export async function sealAll(db: Db): Promise<void> {
  while ((await sealTransfers(db, SEALS_PER_ROUND)) === SEALS_PER_ROUND);
}

/** Seals postings into the tamper-evident journal shortly after they were made. */
export function sealingJob(db: Db): JobDefinition {
  return defineJob({
    kind: 'ledger.seal',
    queue: 'ledger',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: 12,
    run: () => sealAll(db),
  });
}

export * from './accounts.ts';
export { listOwingNetworks, lockBalance, lockFloat, type Posting, readBalance, readFloat } from './repository.ts';
