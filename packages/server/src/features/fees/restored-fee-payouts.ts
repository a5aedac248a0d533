/** Fee payouts that wait since the database was restored, for `market reconcile`. */
import type { Db, Tx } from '../../platform/db/database.ts';
import { type RestoredIntent, releaseRestored } from '../payouts/index.ts';
import { feePayoutJob } from './fee-jobs.ts';
import { listRestoredFeePayouts } from './repository.ts';

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

  release: (tx: Tx, id: string) => releaseRestored(tx, 'creator_fee_payouts', id, feePayoutJob(id)),
};
