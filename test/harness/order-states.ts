/** Sets the status of orders by SQL, for tests that are not about the steps. No money moves. */
import type { TestMarket } from './market.ts';

export type FundedStatus = 'paid' | 'in_progress' | 'completed' | 'cancelled';

export async function setOrderStatus(
  { database }: Pick<TestMarket, 'database'>,
  ids: readonly string[],
  status: FundedStatus,
): Promise<void> {
  await database.pool.query(
    `update orders set status = $2, price_micros = coalesce(price_micros, 10000000), paid_micros = coalesce(price_micros, 10000000),
       payment_network = 'base-mainnet', payment_reference = 'test:' || id, payer = 'test', paid_at = market_now(),
       completed_at = case when $2 = 'completed' then market_now() end
     where id = any($1)`,
    [ids, status],
  );
}
