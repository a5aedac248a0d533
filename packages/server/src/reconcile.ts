/** Implements `market reconcile`: finds transfers on the chains that the books lack, books them, and reopens outflow. */
import { createMarketEvents } from './app/create-events.ts';
import { withChains, withDatabase } from './boot/with-deployment.ts';
import { restoredMovements } from './features/custody/index.ts';
import { restoredEarnIntents } from './features/earn/index.ts';
import { restoredFeePayouts } from './features/fees/index.ts';
import { type ReconcileReport, type RestoredIntent, reconcileOutflow } from './features/payouts/index.ts';
import { createDatabaseClock } from './platform/clock/database-clock.ts';

/** Everything of which nothing may be signed after a restore without a look at the chain. */
const restored = [restoredMovements, restoredFeePayouts, restoredEarnIntents];

export interface DeploymentReport extends ReconcileReport {
  readonly waiting: readonly RestoredIntent[];
}

export async function reconcileDeployment(): Promise<DeploymentReport> {
  return await withChains(async ({ database, chains, log }) => {
    const clock = await createDatabaseClock(database.pool);
    try {
      const report = await reconcileOutflow({ database, chains, log, clock, events: createMarketEvents(database) });
      const waiting = await Promise.all(restored.map(({ list }) => list(database.db)));
      return { ...report, waiting: waiting.flat() };
    } finally {
      clock.stop();
    }
  });
}

/** An operator has seen on chain that it was not sent. False when no such intent waits. */
export async function sendAfterRestore(id: string): Promise<boolean> {
  return await withDatabase(async ({ database }) =>
    database.transaction(async (tx) => {
      for (const { release } of restored) if (await release(tx, id)) return true;
      return false;
    }),
  );
}
