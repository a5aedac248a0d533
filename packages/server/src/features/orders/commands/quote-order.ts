/** The provider names a price, or replaces the one it named before. */
import { feeOf, formatUsd, parseUsd } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';
import { runCommand } from './run-command.ts';

export function quoteOrder(context: OrdersContext): HandlersOf<'orders'>['quote'] {
  return async ({ id, price_usd, note, turnaround_hours }, call) => {
    const priceMicros = parseUsd(price_usd) ?? 0n;
    return await runCommand(context, call, id, 'quote', async ({ order, now }) => {
      const price = formatUsd(priceMicros);
      return {
        set: {
          priceMicros,
          feeMicros: feeOf(priceMicros),
          // Keep the time of the first quote: a transfer made for that quote still counts.
          quotedAt: order.quotedAt ?? now,
          ...(turnaround_hours !== undefined && { turnaroundHours: turnaround_hours }),
          ...(isLonger(order, turnaround_hours) && { quoteLengthened: true }),
        },
        note: note === undefined || note === '' ? `${price} USDC` : `${price} USDC. ${note}`,
        events: [{ type: 'order.quoted', data: { price_usd: price } }],
      };
    });
  };
}

/** True if the buyer may already have paid for the shorter time of the earlier quote. */
function isLonger({ quotedAt, turnaroundHours }: Pick<OrderRow, 'quotedAt' | 'turnaroundHours'>, hours: number | undefined): boolean {
  return quotedAt !== null && hours !== undefined && hours > turnaroundHours;
}
