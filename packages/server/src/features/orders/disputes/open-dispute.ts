/** Opens a dispute: by the buyer's command, or because a requested revision never came. */
import { disputeDeadlines } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import { type DisputeOpening, type OrderRow, type OrdersContext, runCommand } from '../index.ts';
import { insertDispute } from './repository.ts';

export function openDispute(context: OrdersContext): HandlersOf<'orders'>['dispute'] {
  return async ({ id, reason }, call) =>
    await runCommand(context, call, id, 'dispute', async ({ tx, order }) => {
      await recordDispute(tx, context, order, { openedBy: 'buyer', reason });
      return { note: reason, events: [{ type: 'order.disputed', data: { reason } }] };
    });
}

/** Writes the dispute with its deadlines. The order's step to `disputed` comes in the same transaction. */
export async function recordDispute(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  order: OrderRow,
  { openedBy, reason }: DisputeOpening,
): Promise<void> {
  await insertDispute(tx, {
    id: newId('dsp', clock.now()),
    orderId: order.id,
    openedBy,
    reason,
    openedAt: order.now,
    ...disputeDeadlines(order.now),
  });
}
