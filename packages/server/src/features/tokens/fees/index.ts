/** Creator fees: what trading of agents' tokens earned, shared out in the books, and payouts of the shares. */
import { feeBounds, MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { bookReceipts } from './book-receipts.ts';
import { assignFeeReceipt } from './commands/assign-receipt.ts';
import { claimFees, readClaim } from './commands/claim-fees.ts';
import { queueFeePayout } from './commands/queue-fee-payout.ts';
import type { FeesContext } from './fees-context.ts';
import { presentFeeLine, presentFeePayout, presentSweep } from './present.ts';
import { listTokenFees, readFeeHistory, readFeeTotals } from './reports-repository.ts';
import { listFeePayouts, listReceipts } from './repository.ts';

const SWEEPS = 50;
const PAYOUTS = 100;
const TOKENS = 500;

export function feeHandlers(context: FeesContext): HandlersOf<'fees'> {
  const { db } = context.database;
  return {
    balance: readBalance(context),
    async collect() {
      if (context.feeVault === undefined) throw new MarketError('fees_unavailable');
      const { lamports, newest } = await bookReceipts(context);
      if (newest === undefined) throw new MarketError('fee_vault_empty');
      return { data: { amount_lamports: Number(lamports), tx_hash: newest } };
    },
    payout: queueFeePayout(context),
    claimable: readClaim(context),
    claim: claimFees(context),
    assign: assignFeeReceipt(context),
    async sweeps() {
      return { data: (await listReceipts(db, SWEEPS)).map(presentSweep) };
    },
    async payouts({ wallet }) {
      return { data: (await listFeePayouts(db, wallet, PAYOUTS)).map(presentFeePayout) };
    },
    async history(filters) {
      const { lines, total, nextCursor } = await readFeeHistory(db, filters);
      return { data: { lines: lines.map(presentFeeLine) }, total, next_cursor: nextCursor };
    },
  };
}

function readBalance({ database: { db }, feeVault }: FeesContext): HandlersOf<'fees'>['balance'] {
  return async () => {
    if (feeVault === undefined) throw new MarketError('fees_unavailable');
    const [totals, tokens, { native }] = await Promise.all([
      readFeeTotals(db),
      listTokenFees(db, TOKENS),
      feeVault.readBalances(feeVault.treasury),
    ]);
    return {
      data: {
        total_swept_lamports: Number(totals.earned),
        total_paid_out_lamports: Number(totals.paidOut),
        vault_balance_lamports: Number(native),
        total_earned_lamports: Number(totals.earned),
        total_historical_creator_fees_sol: Number(totals.earned) / 1e9,
        owed_lamports: { agents: Number(totals.agents), partner: Number(totals.partner), buyback: Number(totals.buyback) },
        float_lamports: Number(totals.float),
        vault_address: feeVault.treasury,
        per_token_fees: tokens.map(({ mint, agentId, distributable }) => ({
          mint,
          agent_id: agentId,
          distributableFeesLamports: Number(distributable),
          canDistribute: distributable >= BigInt(feeBounds.claimLamports),
          isGraduated: null,
        })),
      },
    };
  };
}

export { bookReceipts } from './book-receipts.ts';
export { feeJobs } from './fee-jobs.ts';
export { feeVaultHolder } from './fee-vault-holder.ts';
export { readdressClaims } from './readdress-claims.ts';
