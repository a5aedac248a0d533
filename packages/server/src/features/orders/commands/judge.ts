/** The buyer judges a delivery: approves it, wants it changed, disputes it, or lets a dispute rest. */
import type { HandlersOf } from '../../../access/call.ts';
import { prolongedReview, revisionDeadline } from '../lifecycle/terms.ts';
import { releaseEscrow } from '../money/move-money.ts';
import { hasPayoutFailed } from '../money/payout-failed.ts';
import { openDispute } from '../open-dispute.ts';
import type { OrdersContext } from '../orders-context.ts';
import { closeOpenDispute } from '../repository.ts';
import { runCommand } from './run-command.ts';

type Judging = Pick<HandlersOf<'orders'>, 'approve' | 'requestRevision' | 'dispute' | 'withdrawDispute'>;

export function judgeCommands(context: OrdersContext): Judging {
  return {
    async approve({ id, allow_portfolio: allowPortfolio }, call) {
      return await runCommand(context, call, id, 'approve', async ({ tx, order, now }) => {
        await releaseEscrow(tx, context, order);
        return {
          set: { completedAt: now, ...(allowPortfolio !== undefined && { allowPortfolio }) },
          events: [{ type: 'order.completed', data: { payout_failed: await hasPayoutFailed(tx, order) } }],
        };
      });
    },

    async requestRevision({ id, feedback }, call) {
      return await runCommand(context, call, id, 'revision', async ({ order, now }) => {
        const deadline = revisionDeadline(now);
        const revisionCount = order.revisionCount + 1;
        return {
          set: { revisionCount, revisionDeadline: deadline },
          note: feedback,
          events: [
            {
              type: 'order.revision_requested',
              data: {
                feedback,
                revision_count: revisionCount,
                max_revisions: order.maxRevisions,
                is_extra: revisionCount > order.maxRevisions,
              },
            },
          ],
          timers: [{ command: 'escalate', at: deadline }],
        };
      });
    },

    async dispute({ id, reason }, call) {
      return await runCommand(context, call, id, 'dispute', async ({ tx, order }) => {
        await openDispute(tx, context, order, { openedBy: 'buyer', reason });
        return { note: reason, events: [{ type: 'order.disputed', data: { reason } }] };
      });
    },

    async withdrawDispute({ id }, call) {
      return await runCommand(context, call, id, 'withdraw_dispute', async ({ tx, order, now, to }) => {
        await closeOpenDispute(tx, order.id, { state: 'withdrawn' });
        const events = [{ type: 'order.dispute_withdrawn', data: { status: to } }] as const;
        // Nothing was delivered that could be reviewed: the provider still owes the work.
        if (to !== 'delivered') return { events };
        const deadline = prolongedReview(order.reviewDeadline, now);
        return {
          set: { reviewDeadline: deadline },
          events,
          timers: [{ command: 'auto_release', at: deadline }],
        };
      });
    },
  };
}
