/** Next actions of a party on an order: the call of each command that `decide` allows. */
import type { NextAction } from '../kernel/next-action.ts';
import { closesAt, moneyOfStep, type OrderCommand, type OrderRole, offeredActions } from '../orders/lifecycle.ts';
import type { LifecycleFacts } from '../orders/lifecycle-guards.ts';
import { orderCalls } from './order-calls.ts';
import { type CallTemplate, readyCall } from './ready-call.ts';

const callOf: Partial<Record<OrderCommand, CallTemplate>> = orderCalls;

export interface OrderReader {
  /** The roles in which the caller may act. */
  readonly roles: readonly OrderRole[];
  /** True: the payer of a bare transfer may still contest it, so the provider cannot be paid yet. The caller is not that payer. */
  readonly contestable: boolean;
  /** Set if the caller is the payer and has not confirmed the transfer: the end of its contest window. */
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

/** Commands that the table allows and their handlers refuse. */
function isRefusedAnyway(order: LifecycleFacts, command: OrderCommand, { roles, contestable }: OrderReader): boolean {
  if (command === 'answer_request') return order.openRequests === 0;
  // Administrators cannot rule on their own orders.
  const isRuling = command.startsWith('rule_');
  if (isRuling && roles.some((role) => role !== 'admin')) return true;
  const money = moneyOfStep(order.status, command);
  return contestable && !order.settled && (money === 'release' || money === 'split');
}
