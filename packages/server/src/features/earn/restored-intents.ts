/** Intents of Earn that wait since the database was restored, for `market reconcile`. */
import type { Db, Tx } from '../../platform/db/database.ts';
import { hastenJob } from '../../platform/jobs/job-repository.ts';
import type { RestoredIntent } from '../payouts/index.ts';
import { advanceIntentJob } from './earn-job-names.ts';
import { adoptRestoredIntent, listRestoredIntents } from './intent-repository.ts';

export const restoredEarnIntents = {
  async list(db: Db): Promise<readonly RestoredIntent[]> {
    const rows = await listRestoredIntents(db);
    return rows.map(({ id, kind, network, router, venue }) => ({ id, what: `earn_${kind}`, network, wallet: router, destination: venue }));
  },

  /** False when no such intent waits. */
  async release(tx: Tx, id: string): Promise<boolean> {
    if (!(await adoptRestoredIntent(tx, id))) return false;
    await hastenJob(tx, advanceIntentJob(id).uniqueKey);
    return true;
  },
};
