/** Prolongs bounties and claims after a restore: posters may have extended or accepted since the backup, and agents claimed again. */
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { extendRestoredBounties, extendRestoredClaims } from './restored-repository.ts';
import { expiryJob, lapseJob } from './timers.ts';

/** Returns how many bounties and claims were prolonged. */
export async function extendBounties(tx: Tx, notBefore: Date): Promise<number> {
  const bounties = await extendRestoredBounties(tx, notBefore);
  const claims = await extendRestoredClaims(tx, notBefore);
  // One job lapses all claims of a bounty.
  await enqueueJobs(tx, [...bounties.map((id) => expiryJob(id, notBefore)), ...[...new Set(claims)].map((id) => lapseJob(id, notBefore))]);
  return bounties.length + claims.length;
}
