/** Fee payouts that wait since the database was restored, for `market reconcile`. */
import type { Db, Tx } from '../../platform/db/database.ts';
import { hastenJob } from '../../platform/jobs/job-repository.ts';
import type { RestoredIntent } from '../payouts/index.ts';
import { feePayoutJob } from './fee-jobs.ts';
import { adoptRestoredFeePayout, listRestoredFeePayouts } from './repository.ts';

export const restoredFeePayouts = {
  async list(db: Db): Promise<readonly RestoredIntent[]> {
    const rows = await listRestoredFeePayouts(db);
    return rows.map(({ id, recipientWallet: destination }) => ({
      id,
      what: 'creator_fee_payout',
      network: 'solana-mainnet',
      wallet: 'the fee vault',
      destination,
    }));
  },

  /** False when no such payout waits. */
  async release(tx: Tx, id: string): Promise<boolean> {
    if (!(await adoptRestoredFeePayout(tx, id))) return false;
    await hastenJob(tx, feePayoutJob(id).uniqueKey);
    return true;
  },
};
