/** The buyer asks the provider to change the delivery. */
import { revisionDeadline } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { OrdersContext } from '../orders-context.ts';
import { runCommand } from './run-command.ts';

export function requestRevision(context: OrdersContext): HandlersOf<'orders'>['requestRevision'] {
  return async ({ id, feedback }, call) =>
    await runCommand(context, call, id, 'revision', async ({ order, now }) => {
      const deadline = revisionDeadline(now);
      const revisionCount = order.revisionCount + 1;
      const isExtra = revisionCount > order.maxRevisions;
      return {
        set: { revisionCount, revisionDeadline: deadline },
        note: feedback,
        events: [
          {
            type: 'order.revision_requested',
            data: { feedback, revision_count: revisionCount, max_revisions: order.maxRevisions, is_extra: isExtra },
          },
        ],
        timers: [{ command: 'escalate', at: deadline }],
      };
    });
}
