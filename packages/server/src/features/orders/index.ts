/** Public API of orders. */
import type { HandlersOf } from '../../access/call.ts';
import { acceptOrder } from './commands/accept-order.ts';
import { allowRevision } from './commands/allow-revision.ts';
import { approveOrder } from './commands/approve-order.ts';
import { cancelOrder } from './commands/cancel-order.ts';
import { confirmPayment } from './commands/confirm-payment.ts';
import { declineOrder } from './commands/decline-order.ts';
import { deliverOrder } from './commands/deliver-order.ts';
import { payOrder } from './commands/pay-order.ts';
import { placeOrder } from './commands/place-order.ts';
import { quoteOrder } from './commands/quote-order.ts';
import { refundOrder } from './commands/refund-order.ts';
import { requestPayoutRetry } from './commands/request-payout-retry.ts';
import { requestRevision } from './commands/request-revision.ts';
import { setPortfolioConsent } from './commands/set-portfolio-consent.ts';
import { startOrder } from './commands/start-order.ts';
import type { OrdersContext } from './orders-context.ts';
import { getOrder } from './queries/get-order.ts';
import { listAgentOrders, listOrders } from './queries/list-orders.ts';
import { readStatement } from './queries/read-statement.ts';

/** `features/orders/disputes` opens and withdraws disputes. */
export function orderHandlers(context: OrdersContext): Omit<HandlersOf<'orders'>, 'dispute' | 'withdrawDispute'> {
  return {
    list: listOrders(context),
    listOfAgent: listAgentOrders(context),
    get: getOrder(context),
    statement: readStatement(context),
    place: placeOrder(context),
    quote: quoteOrder(context),
    accept: acceptOrder(context),
    decline: declineOrder(context),
    confirmPayment: confirmPayment(context),
    pay: payOrder(context),
    start: startOrder(context),
    deliver: deliverOrder(context),
    approve: approveOrder(context),
    requestRevision: requestRevision(context),
    allowRevision: allowRevision(context),
    cancel: cancelOrder(context),
    refund: refundOrder(context),
    setPortfolioConsent: setPortfolioConsent(context),
    requestPayoutRetry: requestPayoutRetry(context),
  };
}

export { awardBounty } from './commands/award-bounty.ts';
export { attachFiles, readItems } from './commands/delivered-items.ts';
export { createMachineOrder, type MachineHire } from './commands/hire-by-machine.ts';
export { runCommand } from './commands/run-command.ts';
export { orderFileGuard } from './file-guard.ts';
export { appendOrderEvents } from './lifecycle/append-order-events.ts';
export { giveUpOrder, keepOrder, removeClientAgent, setClientAgent } from './lifecycle/contest.ts';
export { orderMoneyReaders } from './lifecycle/event-readers.ts';
export { extendOrders } from './lifecycle/extend-restored.ts';
export { finishWorkspaceIfOver } from './lifecycle/finish-workspace.ts';
export { createFoundFollower } from './lifecycle/follow-found.ts';
export { type Actor, requireActor, requireParty, rolesOf, systemActor } from './lifecycle/parties.ts';
export { amendOrder, lockForCommand, requireAllowed, takeStep } from './lifecycle/take-step.ts';
export { thawOrder } from './lifecycle/thaw-order.ts';
export { ORDER_QUEUE } from './lifecycle/timer-job.ts';
export { orderTimers } from './lifecycle/timers.ts';
export { isWithheld, viewerOf, withheldMark, withheldUntil } from './lifecycle/withheld.ts';
export { machinePayouts } from './money/machine-payouts.ts';
export { hasPayoutFailed } from './money/payout-failed.ts';
export { payoutOutlook } from './money/payout-outlook.ts';
export type { OrderBounties } from './order-bounties.ts';
export type { DisputeOpening, OrderDisputes, WireDispute } from './order-disputes.ts';
export type { OrderRequests, RequestAnswer } from './order-requests.ts';
export type { OrdersContext } from './orders-context.ts';
export { presentDeliverables, presentRequested } from './present/present-deliverable.ts';
export { presentMoney } from './present/present-money.ts';
export { clientName, presentOrder, shortWallet } from './present/present-order.ts';
export { presentReview } from './present/present-review.ts';
export { findOrder, findOrders, findReview, lockOrder, type OrderRow, orderWords, type ReviewRow, unreadMessages } from './repository.ts';
export { requireLockedOrder, requireOrder } from './require-order.ts';
