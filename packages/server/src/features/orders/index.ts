/** What the rest of the server may use of orders. */
import type { HandlersOf } from '../../access/call.ts';
import { agreeCommands } from './commands/agree.ts';
import { callOffCommands } from './commands/call-off.ts';
import { judgeCommands } from './commands/judge.ts';
import { payOrder } from './commands/pay-order.ts';
import { placeOrder } from './commands/place-order.ts';
import { workCommands } from './commands/work.ts';
import type { OrdersContext } from './orders-context.ts';
import { orderQueries } from './queries/order-queries.ts';

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

export { readItems } from './commands/delivered-items.ts';
export { createMachineOrder, type MachineHire } from './commands/hire-by-machine.ts';
export { orderFileGuard } from './file-guard.ts';
export { giveUpOrder, keepOrder } from './lifecycle/contest.ts';
export { orderMoneyReaders } from './lifecycle/event-readers.ts';
export { type Actor, requireActor, requireParty, rolesOf } from './lifecycle/parties.ts';
export { lockForCommand, requireAllowed, takeStep, tellOf } from './lifecycle/take-step.ts';
export { ORDER_QUEUE } from './lifecycle/timer-job.ts';
export { orderTimers } from './lifecycle/timers.ts';
export { machinePayouts } from './money/machine-payouts.ts';
export { refundEscrow, releaseEscrow, splitEscrow } from './money/move-money.ts';
export { hasPayoutFailed } from './money/payout-failed.ts';
export { payoutOutlook } from './money/payout-outlook.ts';
export type { OrdersContext } from './orders-context.ts';
export { presentDeliverables } from './present/present-deliverable.ts';
export { clientName, presentOrder, shortWallet } from './present/present-order.ts';
export { presentReview } from './present/present-review.ts';
export { presentMoney } from './present/view-order.ts';
export { presentDispute } from './present-dispute.ts';
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
