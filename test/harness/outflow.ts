/** Closes outflow as a comparison of books and chain does, and opens it as `market reconcile` does. */
import { openOutflow as open } from '../../packages/server/src/features/outgoing/gate/index.ts';
import type { TestMarket } from './market.ts';

type Books = Pick<TestMarket, 'database'>;

export async function closeOutflow({ database }: Books): Promise<void> {
  await database.pool.query(`update outflow_gate set reason = 'Outflow is closed by a test. Run market reconcile.'`);
}

/** Waiting jobs run at once instead of within a minute. */
export async function openOutflow({ database }: Books): Promise<void> {
  await open(database.db);
  await database.pool.query(`update jobs set run_at = market_now() where run_at > market_now() and lease_until is null`);
}
