/** Sends claims that wait after a restore to the address that the owner signed. */
import type { AgentId } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { hastenJob } from '../../../platform/jobs/job-repository.ts';
import { lockBalance } from '../../ledger/index.ts';
import { shareOf } from './fee-accounts.ts';
import { feePayoutJob } from './fee-payout-job.ts';
import { listQueuedTo, writeRecipient } from './repository.ts';

export async function readdressClaims(tx: Tx, agentId: AgentId, from: string, to: string): Promise<void> {
  for (const payout of await listQueuedTo(tx, agentId, from)) {
    // The lock keeps payouts to the former address from being signed meanwhile.
    await lockBalance(tx, shareOf(payout));
    await writeRecipient(tx, payout.id, to);
    await hastenJob(tx, feePayoutJob(payout.id).uniqueKey);
  }
}
