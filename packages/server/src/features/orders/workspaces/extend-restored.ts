/** After a restore, an answer given in time may be lost, so open requests get more time. */
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { extendAnswerTimes } from './repository.ts';
import { timeoutJob } from './request-timeout.ts';

/** Call it after `extendOrders`, which moves the ends of workspaces. Returns how many requests got more time. */
export async function extendRequests(tx: Tx, notBefore: Date): Promise<number> {
  const extended = await extendAnswerTimes(tx, notBefore);
  await enqueueJobs(
    tx,
    extended.map(({ id, orderId }) => timeoutJob(orderId, id, notBefore)),
  );
  return extended.length;
}
