/** Movements that wait since the database was restored, for `market reconcile`. */
import type { Db, Tx } from '../../platform/db/database.ts';
import { hastenJob } from '../../platform/jobs/job-repository.ts';
import type { RestoredIntent } from '../payouts/index.ts';
import { advanceMovementJob } from './movement-jobs.ts';
import { adoptRestoredMovement, listRestoredMovements } from './repository.ts';

export const restoredMovements = {
  async list(db: Db): Promise<readonly RestoredIntent[]> {
    return (await listRestoredMovements(db)).map(({ purpose, ...movement }) => ({ ...movement, what: purpose }));
  },

  /** False when no such movement waits. */
  async release(tx: Tx, id: string): Promise<boolean> {
    if (!(await adoptRestoredMovement(tx, id))) return false;
    await hastenJob(tx, advanceMovementJob(id).uniqueKey);
    return true;
  },
};
