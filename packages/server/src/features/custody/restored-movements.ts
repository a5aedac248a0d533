/** Movements that wait since the database was restored, for `market reconcile`. */
import type { Db, Tx } from '../../platform/db/database.ts';
import { type RestoredIntent, releaseRestored } from '../payouts/index.ts';
import { advanceMovementJob } from './movement-jobs.ts';
import { listRestoredMovements } from './repository.ts';

export const restoredMovements = {
  async list(db: Db): Promise<readonly RestoredIntent[]> {
    return (await listRestoredMovements(db)).map(({ purpose, ...movement }) => ({ ...movement, what: purpose }));
  },

  release: (tx: Tx, id: string) => releaseRestored(tx, 'wallet_movements', id, advanceMovementJob(id)),
};
