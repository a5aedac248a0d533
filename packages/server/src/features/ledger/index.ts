/** Double-entry books. Every movement of money is a posting in the transaction that causes it. */
import { z } from 'zod';
import type { Db, Tx } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { insertPosting, insertPostingDeferred, type Posting, sealTransfers } from './repository.ts';

/** Posts a movement; entries of zero are left out, and a movement of nothing is no movement. */
export async function post(tx: Tx, posting: Posting): Promise<boolean> {
  const entries = posting.entries.filter(({ micros }) => micros !== 0n);
  if (entries.length === 0) return false;
  return await insertPosting(tx, { ...posting, entries });
}

/** As `post`, without telling whether it was posted before. Costs no round trip. */
export async function postDeferred(tx: Tx, posting: Posting): Promise<void> {
  const entries = posting.entries.filter(({ micros }) => micros !== 0n);
  if (entries.length > 0) await insertPostingDeferred(tx, { ...posting, entries });
}

const SEALS_PER_ROUND = 500;

/** Chains postings into the tamper-evident journal, a moment behind them. */
export function sealingJob(db: Db): JobDefinition {
  return defineJob({
    kind: 'ledger.seal',
    queue: 'ledger',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: 6,
    async run() {
      while ((await sealTransfers(db, SEALS_PER_ROUND)) === SEALS_PER_ROUND);
    },
  });
}

export * from './accounts.ts';
export { lockBalance, lockFloat, type Posting, readBalance, readFloat } from './repository.ts';
