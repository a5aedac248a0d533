/** Before money moves: the provider names a price, the buyer commits, or one of them walks away. */
import { feeOf, formatUsd, parseUsd } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { OrdersContext } from '../orders-context.ts';
import { runCommand } from './run-command.ts';

type Agreeing = Pick<HandlersOf<'orders'>, 'quote' | 'accept' | 'decline'>;

export function agreeCommands(context: OrdersContext): Agreeing {
  return {
    async quote({ id, price_usd, note, turnaround_hours }, call) {
      const priceMicros = parseUsd(price_usd) ?? 0n;
      return await runCommand(context, call, id, 'quote', async ({ order, now }) => {
        const price = formatUsd(priceMicros);
        return {
          set: {
            priceMicros,
            feeMicros: feeOf(priceMicros),
            // A transfer made for the first quote still counts: its age is held against when the order could first be paid.
            quotedAt: order.quotedAt ?? now,
            ...(turnaround_hours !== undefined && { turnaroundHours: turnaround_hours }),
          },
          note: note === undefined || note === '' ? `${price} USDC` : `${price} USDC. ${note}`,
          events: [{ type: 'order.quoted', data: { price_usd: price } }],
        };
      });
    },

    async accept({ id }, call) {
      return await runCommand(context, call, id, 'accept', async ({ to }) => ({
        events: [{ type: 'order.accepted', data: { status: to } }],
      }));
    },

    async decline({ id, reason }, call) {
      return await runCommand(context, call, id, 'decline', async ({ order, now }) => ({
        set: { cancelledAt: now },
        note: reason,
        events: [{ type: 'order.cancelled', data: { previous_status: order.status } }],
      }));
    },
  };
}
