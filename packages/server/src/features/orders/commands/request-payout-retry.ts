/** The provider asks for another attempt at a payout that failed. This is no step in the order's life. */
import { networkFacts } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { listPayoutsOf, retryParkedPayout } from '../../payouts/index.ts';
import { provenDestinations } from '../../wallet-keys/index.ts';
import { requireSide } from '../lifecycle/parties.ts';
import { requirePayable, requireStuck } from '../money/stuck-payout.ts';
import type { OrdersContext } from '../orders-context.ts';
import { findPaidAgent } from '../repository.ts';
import { requireLockedOrder, requireOrder } from '../require-order.ts';

export function requestPayoutRetry(context: OrdersContext): HandlersOf<'orders'>['requestPayoutRetry'] {
  const { db } = context.database;
  return async ({ id }, call) => {
    const seen = await requireOrder(db, id);
    requireSide(call.caller, seen, 'provider');
    const stuck = requireStuck(await listPayoutsOf(db, [seen.id]));
    const agent = await findPaidAgent(db, seen.providerAgentId);
    const destination = (await provenDestinations(db, context.secrets, agent))(stuck.network);
    const address = await requirePayable(context, stuck, destination);
    return await call.commit(async (tx) => {
      const order = await requireLockedOrder(tx, seen.id);
      const payout = requireStuck(await listPayoutsOf(tx, [seen.id]));
      const queued = await retryParkedPayout(tx, payout.id, address);
      return { data: { order_id: order.id, destination: queued.destination, chain: networkFacts[payout.network].chain } };
    });
  };
}
