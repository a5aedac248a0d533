/** The instructions of a payout, after all checks pass. Every payout first sets its fee, and names its intent. */
import { type OutgoingTransfer, type SigningTerms, TransferRefused } from '../chain.ts';
import { writeMemo } from './instructions.ts';
import { listNativeSteps } from './native-payout.ts';
import { findPayoutMemo } from './payout-memo.ts';
import type { SolanaContext } from './solana-context.ts';
import { offerFee } from './transaction-fee.ts';
import { listUsdcSteps, type PayoutSteps } from './usdc-payout.ts';
import { requireWalletAddress } from './wallet-address.ts';

const U64_LIMIT = 2n ** 64n;

export async function preparePayout(context: SolanaContext, transfer: OutgoingTransfer, terms?: SigningTerms): Promise<PayoutSteps> {
  const { intentId, amount, asset } = transfer;
  const memo = findPayoutMemo(intentId);
  if (memo === undefined)
    throw new TransferRefused('other', 'The intent id does not fit into a memo: use up to 180 visible ASCII characters.');
  if (amount <= 0n || amount >= U64_LIMIT) throw new TransferRefused('other', 'The amount must be positive and fit 64 bits.');
  const destination = requireWalletAddress(context, transfer.destination);
  const isNative = asset === 'native';
  const { steps, rentLamports } = isNative
    ? await listNativeSteps(context, destination, amount)
    : await listUsdcSteps(context, destination, amount, terms);
  const fee = await offerFee(context, isNative ? context.treasury : context.treasuryAccount);
  // `explainFailure` reads the failed position, so USDC must move at the same position with and without a new account.
  const named = !isNative && steps.length === 1 ? [writeMemo(memo), ...steps] : [...steps, writeMemo(memo)];
  return { steps: [...fee, ...named], rentLamports };
}
