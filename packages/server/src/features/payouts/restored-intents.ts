/** Intents that were queued before the database was restored, for `market reconcile`. */
import type { Tx } from '../../platform/db/database.ts';
import { adoptQueued } from '../../platform/db/database-place.ts';
import { hastenJob } from '../../platform/jobs/job-repository.ts';

/** An intent that was queued before the database was restored. Nothing is signed for it until an operator has looked at the chain. */
export interface RestoredIntent {
  readonly id: string;
  readonly what: string;
  readonly network: string;
  readonly wallet: string;
  readonly destination: string;
}

/** An operator has seen on chain that it was not sent. False when the table has no such intent. */
export async function releaseRestored(tx: Tx, table: string, id: string, job: { readonly uniqueKey: string }): Promise<boolean> {
  if (!(await adoptQueued(tx, table, id))) return false;
  await hastenJob(tx, job.uniqueKey);
  return true;
}
