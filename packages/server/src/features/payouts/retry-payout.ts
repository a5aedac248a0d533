/** An operator's decision about a parked payout. Nothing signed for it can still land, so it may be signed anew. */
import { MarketError, type NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { advanceJob } from './queue-payout.ts';
import { findPayout, movePayout, type PayoutRow, writeDestination } from './repository.ts';

export async function retryParkedPayout(
  tx: Tx,
  chains: ReadonlyMap<NetworkName, Chain>,
  payoutId: string,
  destination: string | undefined,
): Promise<PayoutRow> {
  const payout = await findPayout(tx, payoutId);
  if (payout === undefined) throw new MarketError('payout_not_found');
  if (!(await movePayout(tx, payoutId, ['parked'], { state: 'queued', reason: null }))) throw new MarketError('payout_not_parked');
  if (destination !== undefined) {
    const address = chains.get(payout.network)?.canonicalAddress(destination);
    if (address === undefined) throw new MarketError('payout_destination_invalid');
    await writeDestination(tx, payoutId, address);
  }
  await enqueueJobs(tx, [advanceJob(payoutId)]);
  const queued = await findPayout(tx, payoutId);
  if (queued === undefined) throw new MarketError('payout_not_found');
  return queued;
}
