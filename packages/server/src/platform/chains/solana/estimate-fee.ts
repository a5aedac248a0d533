/** Estimates the cost of a payout: the node's fee for these instructions, plus the rent of an account it opens. */
import type { OutgoingTransfer } from '../chain.ts';
import { composeTransaction } from './compose-transaction.ts';
import { preparePayout } from './prepare-payout.ts';
import { feeAccountOf, type SolanaContext } from './solana-context.ts';

export async function estimateFee(context: SolanaContext, transfer: OutgoingTransfer): Promise<bigint> {
  const { rpc } = context;
  const { steps, rentLamports } = await preparePayout(context, transfer);
  const { messageBytes } = composeTransaction(feeAccountOf(context), await rpc.readLatestBlockhash(), steps);
  const fee = await rpc.readFee(Buffer.from(messageBytes).toString('base64'));
  return fee + rentLamports;
}
