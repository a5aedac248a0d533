/** What a party can do with an order now. `decide` says what is allowed; this file only knows the call of each command. */
import type { NextAction } from '../kernel/next-action.ts';
import { closesAt, moneyOfStep, type OrderCommand, type OrderRole, offeredActions } from '../orders/lifecycle.ts';
import type { LifecycleFacts } from '../orders/lifecycle-guards.ts';
import { orderCalls } from './order-calls.ts';
import { type CallTemplate, readyCall } from './ready-call.ts';

const callOf: Partial<Record<OrderCommand, CallTemplate>> = orderCalls;

export interface OrderReader {
  /** The roles in which the caller may act. */
  readonly roles: readonly OrderRole[];
  /** The caller did not prove to be the payer, and the payer may still claim the transfer: the provider cannot be paid yet. */
  readonly contestable: boolean;
  /** The caller is the payer of a transfer that is contestable until then, and has not confirmed it. */
  readonly confirmableUntil: Date | null;
}

const confirmPayment: CallTemplate = {
  operation: 'orders.confirmPayment',
  meaning: 'Confirm that this payment is yours: the results are shown, and nobody can contest it.',
};

export function nextOrderActions(order: LifecycleFacts & { readonly id: string }, reader: OrderReader, now: Date): NextAction[] {
  const seen = new Set<OrderCommand>();
  const { confirmableUntil } = reader;
  const confirm = confirmableUntil === null ? [] : [readyCall('confirm_payment', confirmPayment, { id: order.id }, confirmableUntil)];
  const steps = reader.roles.flatMap((role) =>
    offeredActions(order, role, now).flatMap(({ action, allowed }) => {
      const template = callOf[action];
      if (!allowed || template === undefined || seen.has(action) || isRefusedAnyway(order, action, reader)) return [];
      seen.add(action);
      return [readyCall(action, template, { id: order.id }, closesAt(order, action, role, now))];
    }),
  );
  return [...confirm, ...steps];
}

/** What the table allows and its command still refuses. */
function isRefusedAnyway(order: LifecycleFacts, command: OrderCommand, { roles, contestable }: OrderReader): boolean {
  if (command === 'answer_request') return order.openRequests === 0;
  // Nobody rules on an order of their own.
  const isRuling = command.startsWith('rule_');
  if (isRuling && roles.some((role) => role !== 'admin')) return true;
  const money = moneyOfStep(order.status, command);
  return contestable && !order.settled && (money === 'release' || money === 'split');
}
