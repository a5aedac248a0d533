/** Intents of Earn that wait since the database was restored, for `market reconcile`. */
import type { Db, Tx } from '../../platform/db/database.ts';
import { type RestoredIntent, releaseRestored } from '../payouts/index.ts';
import { advanceIntentJob } from './earn-job-names.ts';
import { listRestoredIntents } from './intent-repository.ts';

export const restoredEarnIntents = {
  async list(db: Db): Promise<readonly RestoredIntent[]> {
    const rows = await listRestoredIntents(db);
    return rows.map(({ id, kind, network, router, venue }) => ({ id, what: `earn_${kind}`, network, wallet: router, destination: venue }));
  },

  release: (tx: Tx, id: string) => releaseRestored(tx, 'earn_intents', id, advanceIntentJob(id)),
};
