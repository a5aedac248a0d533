/** What the rest of the server may use of orders. */
import type { HandlersOf } from '../../access/call.ts';
import { agreeCommands } from './commands/agree.ts';
import { callOffCommands } from './commands/call-off.ts';
import { judgeCommands } from './commands/judge.ts';
import { payOrder } from './commands/pay-order.ts';
import { placeOrder } from './commands/place-order.ts';
import { workCommands } from './commands/work.ts';
import type { OrdersContext } from './orders-context.ts';
import { orderQueries } from './queries.ts';

export function orderHandlers(context: OrdersContext): HandlersOf<'orders'> {
  return {
    ...orderQueries(context),
    ...agreeCommands(context),
    ...workCommands(context),
    ...judgeCommands(context),
    ...callOffCommands(context),
    place: placeOrder(context),
    pay: payOrder(context),
  };
}

export { giveUpOrder, keepOrder } from './contest.ts';
export { readItems } from './deliver.ts';
export { orderMoneyReaders } from './event-readers.ts';
export { orderFileGuard } from './file-guard.ts';
export { createMachineOrder, type MachineHire } from './hire-by-machine.ts';
export { machinePayouts } from './machine-payouts.ts';
export type { OrdersContext } from './orders-context.ts';
export { type Actor, requireActor, requireParty, rolesOf } from './parties.ts';
export { hasPayoutFailed } from './payout-failed.ts';
export { payoutOutlook } from './payout-outlook.ts';
export { presentDeliverables } from './present-deliverable.ts';
export { presentDispute } from './present-dispute.ts';
export { clientName, presentOrder, shortWallet } from './present-order.ts';
export { presentReview } from './present-review.ts';
export {
  closeOpenDispute,
  type DisputeRow,
  findLatestDispute,
  findOrder,
  findOrders,
  insertStep,
  lockOrder,
  type OrderRow,
  unreadMessages,
} from './repository.ts';
export { answerRequest, failRequest, openRequest } from './requests.ts';
export { refundEscrow, releaseEscrow, splitEscrow } from './settle.ts';
export { lockForCommand, requireAllowed, takeStep, tellOf } from './take-step.ts';
export { ORDER_QUEUE } from './timer-job.ts';
export { orderTimers } from './timers.ts';
export { presentMoney } from './view.ts';
