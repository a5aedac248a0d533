/** Queues payouts again that were parked for want of a token account, once it exists or the treasury may open it. */
import type { Chain } from '../../platform/chains/chain.ts';
import { ChainUnavailable, TransferRefused } from '../../platform/chains/chain.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { findAccountRefusal } from '../../platform/signer/outflow-limits.ts';
import { transferOf } from './payout-signer.ts';
import type { SendingContext } from './payouts-context.ts';
import { advanceJob } from './queue-payout.ts';
import type { PayoutRow } from './repository.ts';
import { listWaitingAt, listWaitingForAccount, queueWaitingForAccount, readSigningFacts } from './sending-repository.ts';

const DESTINATIONS_PER_ROUND = 200;

export async function releaseWaiting(context: SendingContext): Promise<void> {
  const { database, chains, limits } = context;
  for (const payout of await listWaitingForAccount(database.db, DESTINATIONS_PER_ROUND)) {
    const chain = chains.get(payout.network);
    if (chain === undefined) continue;
    const hasAccount = await isAccountThere(chain, payout);
    const facts = await readSigningFacts(database.db, payout.id);
    if (!hasAccount && findAccountRefusal(limits, facts, payout.amountMicros) !== undefined) continue;
    // The largest payout opens the account; the others follow once it exists.
    const ids = hasAccount ? await listWaitingAt(database.db, payout.network, payout.destination) : [payout.id];
    await database.transaction(async (tx) => {
      const queued = await queueWaitingForAccount(tx, ids);
      await enqueueJobs(
        tx,
        queued.map((id) => advanceJob(id)),
      );
    });
  }
}

async function isAccountThere(chain: Chain, payout: PayoutRow): Promise<boolean> {
  try {
    return await chain.canReceive(transferOf(payout).destination);
  } catch (error) {
    if (error instanceof ChainUnavailable || error instanceof TransferRefused) return false;
    throw error;
  }
}
