/** After a restore: a poster may have extended or accepted, an agent may have claimed anew. So bounties and claims end after a grace. */
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { extendRestoredBounties, extendRestoredClaims } from './restored-repository.ts';
import { expiryJob, lapseJob } from './timers.ts';

/** Returns how many bounties and claims have more time. */
export async function extendBounties(tx: Tx, notBefore: Date): Promise<number> {
  const bounties = await extendRestoredBounties(tx, notBefore);
  const claims = await extendRestoredClaims(tx, notBefore);
  // The claims of one bounty lapse by one job.
  await enqueueJobs(tx, [...bounties.map((id) => expiryJob(id, notBefore)), ...[...new Set(claims)].map((id) => lapseJob(id, notBefore))]);
  return bounties.length + claims.length;
}
