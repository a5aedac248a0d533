/** The timers of an order, as jobs. */
import type { OrderId } from '@market/contract';

export const ORDER_QUEUE = 'orders';
export const ORDER_TIMER = 'order.timer';

export const timerCommands = ['auto_release', 'expire', 'mark_overdue', 'escalate', 'finish_workspace', 'warn', 'pay_at_hire'] as const;

export interface OrderTimer {
  readonly command: (typeof timerCommands)[number];
  /** Absent: at once. */
  readonly at?: Date;
}

/** A provider is warned when the promised time is over, and the order expires after the grace. */
export function deliveryTimers({ dueAt, deliveryDeadline }: { readonly dueAt: Date; readonly deliveryDeadline: Date }): OrderTimer[] {
  return [
    { command: 'warn', at: dueAt },
    { command: 'expire', at: deliveryDeadline },
  ];
}

/** One job per order, command and deadline. A moved deadline has its own job, and the old one finds nothing to do. */
export function timerJob(orderId: OrderId, { command, at }: OrderTimer) {
  return {
    kind: ORDER_TIMER,
    queue: ORDER_QUEUE,
    payload: { order_id: orderId, command },
    uniqueKey: `${ORDER_TIMER}:${orderId}:${command}:${at?.getTime() ?? 'now'}`,
    ...(at !== undefined && { runAt: at }),
  };
}
