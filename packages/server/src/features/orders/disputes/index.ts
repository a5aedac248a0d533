/** Disputes about orders: both sides state their case, an operator rules. */
import type { HandlersOf } from '../../../access/call.ts';
import type { OrderDisputes, OrdersContext } from '../index.ts';
import { openDispute, recordDispute } from './open-dispute.ts';
import { presentDispute } from './present.ts';
import { getDispute, listAllDisputes } from './read-disputes.ts';
import { closeOpenDispute, findLatestDispute } from './repository.ts';
import { ruleDispute } from './rule-dispute.ts';
import { stateCase } from './state-case.ts';
import { withdrawDispute } from './withdraw-dispute.ts';

export function disputeHandlers(context: OrdersContext): HandlersOf<'disputes'> {
  return { get: getDispute(context), state: stateCase(context), list: listAllDisputes(context), rule: ruleDispute(context) };
}

/** The two operations of the noun `orders` that begin and end a dispute. */
export function orderDisputeHandlers(context: OrdersContext): Pick<HandlersOf<'orders'>, 'dispute' | 'withdrawDispute'> {
  return { dispute: openDispute(context), withdrawDispute: withdrawDispute(context) };
}

export { extendDisputes } from './repository.ts';

/** Disputes as orders use them. */
export const orderDisputes: OrderDisputes = {
  open: recordDispute,
  async closeRefunded(tx, orderId) {
    await closeOpenDispute(tx, orderId, { state: 'refunded' });
  },
  async show(db, orderId) {
    const dispute = await findLatestDispute(db, orderId);
    return dispute === undefined ? null : presentDispute(dispute);
  },
};
