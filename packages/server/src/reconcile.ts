/** Implements `market reconcile`: finds transfers on the chains that the books lack, books them, and reopens outflow. */
import { createMarketEvents } from './app/create-events.ts';
import { withChains } from './boot/with-deployment.ts';
import { type ReconcileReport, reconcileOutflow } from './features/payouts/index.ts';
import { createDatabaseClock } from './platform/clock/database-clock.ts';

export type { ReconcileReport };

export async function reconcileDeployment(): Promise<ReconcileReport> {
  return await withChains(async ({ database, chains, log }) => {
    const clock = await createDatabaseClock(database.pool);
    try {
      return await reconcileOutflow({ database, chains, log, clock, events: createMarketEvents(database) });
    } finally {
      clock.stop();
    }
  });
}
