/**
 * After a restore, an act of a party before its deadline may be lost, and deadlines passed while nothing ran. So every open deadline of an
 * order moves, with a grace and a new timer. The old timer finds nothing to do.
 */
import type { RestoredEnds } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { type ExtendedOrder, extendOrderRows } from './step-repository.ts';
import { deliveryTimers, type OrderTimer, timerJob } from './timer-job.ts';

/** Returns how many orders have more time. */
export async function extendOrders(tx: Tx, ends: RestoredEnds & { readonly brokenBy: Date }): Promise<number> {
  const extended = await extendOrderRows(tx, ends);
  await enqueueJobs(
    tx,
    extended.flatMap((order) => timersOf(order).map((timer) => timerJob(order.id, timer))),
  );
  return extended.length;
}

function timersOf({ status, dueAt, deliveryDeadline, ...order }: ExtendedOrder): readonly OrderTimer[] {
  if (status === 'delivered') return timerAt('auto_release', order.reviewDeadline);
  if (status === 'revision_requested') return timerAt('escalate', order.revisionDeadline);
  const delivery = dueAt === null || deliveryDeadline === null ? [] : deliveryTimers({ dueAt, deliveryDeadline });
  return [...delivery, ...timerAt('finish_workspace', order.workspaceEndsAt)];
}

function timerAt(command: OrderTimer['command'], at: Date | null): readonly OrderTimer[] {
  return at === null ? [] : [{ command, at }];
}
