/** A reverted payment freezes its order. Once it is back, the provider gets the time that delivering was refused. */
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { findFrozenSince, lockOrder } from '../repository.ts';
import { amendOrder } from './take-step.ts';
import { deliveryTimers, timerJob } from './timer-job.ts';

export async function thawOrder(tx: Tx, { subjectId }: { readonly subjectId: string }): Promise<void> {
  const order = await lockOrder(tx, subjectId);
  const { status, dueAt, deliveryDeadline, settled } = order ?? {};
  if (order === undefined || settled === true || (status !== 'paid' && status !== 'in_progress')) return;
  const since = await findFrozenSince(tx, order.id);
  // The deadline passed before the payment was reverted: the freeze took no time away.
  if (since === undefined || dueAt == null || deliveryDeadline == null || since >= deliveryDeadline) return;
  const frozenMs = order.now.getTime() - since.getTime();
  const later = {
    // A promise broken before the freeze stays broken.
    dueAt: since < dueAt ? new Date(dueAt.getTime() + frozenMs) : dueAt,
    deliveryDeadline: new Date(deliveryDeadline.getTime() + frozenMs),
  };
  await amendOrder(tx, order, later);
  await enqueueJobs(
    tx,
    deliveryTimers(later).map((timer) => timerJob(order.id, timer)),
  );
}
