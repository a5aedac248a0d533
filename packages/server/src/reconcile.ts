/** Implements `market reconcile`: finds transfers on the chains that the books lack, books them, and reopens outflow. */
import { createMarketEvents } from './app/create-events.ts';
import { withChains, withDatabase } from './boot/with-deployment.ts';
import { type ReconcileReport, reconcileOutflow } from './features/payouts/index.ts';
import { createDatabaseClock } from './platform/clock/database-clock.ts';
import { listRestoredIntents, type RestoredIntent, releaseRestoredIntent } from './platform/db/database-place.ts';

export interface DeploymentReport extends ReconcileReport {
  readonly waiting: readonly RestoredIntent[];
}

export async function reconcileDeployment(): Promise<DeploymentReport> {
  return await withChains(async ({ database, chains, log }) => {
    const clock = await createDatabaseClock(database.pool);
    try {
      const report = await reconcileOutflow({ database, chains, log, clock, events: createMarketEvents(database) });
      return { ...report, waiting: await listRestoredIntents(database.db) };
    } finally {
      clock.stop();
    }
  });
}

/** An operator has seen on chain that it was not sent. False when no such intent waits. */
export async function sendAfterRestore(id: string): Promise<boolean> {
  return await withDatabase(async ({ database }) => await database.transaction((tx) => releaseRestoredIntent(tx, id)));
}
