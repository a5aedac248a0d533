/** Signs a payout, after checking everything that would make it fail. */
import type { Instruction } from '@solana/instructions';
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer, type SigningTerms, TransferRefused } from '../chain.ts';
import { composeSigned, composeTrial } from './compose-transaction.ts';
import { explainFailure } from './explain-failure.ts';
import { preparePayout } from './prepare-payout.ts';
import { feeAccountOf, type SolanaContext } from './solana-context.ts';

export async function signTransfer(context: SolanaContext, transfer: OutgoingTransfer, terms?: SigningTerms): Promise<SignedTransfer> {
  const { signer, feePayer, rpc } = context;
  if (signer === undefined) throw new TransferRefused('other', 'The Solana treasury has no key here, so it cannot pay out.');
  const { steps, rentLamports } = await preparePayout(context, transfer, terms);
  await requireSuccessInTrial(context, steps, transfer.asset);
  const lifetime = await rpc.readLatestBlockhash();
  const signed = await composeSigned(signer, lifetime, steps, feePayer);
  return { ...signed, validity: lifetime.lastValidBlockHeight.toString(), rentLamports };
}

export async function requireSuccessInTrial(
  context: SolanaContext,
  instructions: readonly Instruction[],
  asset: OutgoingTransfer['asset'],
): Promise<void> {
  const failure = await context.rpc.findFailureBySimulation(composeTrial(feeAccountOf(context), instructions));
  if (failure === null) return;
  const explained = explainFailure(failure, asset);
  if (explained === undefined) throw new ChainUnavailable('solana-mainnet', `the trial run did not work: ${JSON.stringify(failure)}`);
  throw new TransferRefused(explained.reason, explained.message);
}
