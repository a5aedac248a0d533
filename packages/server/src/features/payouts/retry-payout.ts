/** An operator's decision about a parked payout. Nothing signed for it can still land, so it may be signed anew. */
import { MarketError, type NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { moveIntent } from '../outgoing/index.ts';
import { advanceJob } from './queue-payout.ts';
import { findPayout, type PayoutRow, writeDestination } from './repository.ts';
import { requirePayableDestination } from './require-payable.ts';

/** Returns where the next attempt would go. Asks the chain, so never call it in a transaction. */
export async function requireRetryable(
  db: Db,
  chains: ReadonlyMap<NetworkName, Chain>,
  payoutId: string,
  destination: string | undefined,
): Promise<string> {
  const payout = await findPayout(db, payoutId);
  if (payout === undefined) throw new MarketError('payout_not_found');
  if (payout.state !== 'parked') throw new MarketError('payout_not_parked');
  return await requirePayableDestination(chains, payout.network, destination ?? payout.destination);
}

/** The destination must be checked: see `requirePayableDestination`. */
export async function retryParkedPayout(tx: Tx, payoutId: string, destination: string): Promise<PayoutRow> {
  if (!(await moveIntent(tx, payoutId, ['parked'], { state: 'queued', reason: null }))) throw new MarketError('payout_not_parked');
  await writeDestination(tx, payoutId, destination);
  await enqueueJobs(tx, [advanceJob(payoutId)]);
  const queued = await findPayout(tx, payoutId);
  if (queued === undefined) throw new MarketError('payout_not_found');
  return queued;
}
