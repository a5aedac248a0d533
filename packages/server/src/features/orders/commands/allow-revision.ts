/** The provider grants one revision more than agreed. */
import type { HandlersOf } from '../../../access/call.ts';
import type { OrdersContext } from '../orders-context.ts';
import { runCommand } from './run-command.ts';

export function allowRevision(context: OrdersContext): HandlersOf<'orders'>['allowRevision'] {
  return async ({ id }, call) =>
    await runCommand(context, call, id, 'allow_revision', async ({ order }) => ({
      set: { extraRevisions: order.extraRevisions + 1 },
      events: [{ type: 'order.revision_allowed', data: { extra_revisions: order.extraRevisions + 1 } }],
    }));
}
