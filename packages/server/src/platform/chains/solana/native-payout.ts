/** A payout in SOL moves it from wallet to wallet. A wallet must hold a minimum to exist, so a first payment below it cannot arrive. */
import type { Address } from '@solana/addresses';
import { TransferRefused } from '../chain.ts';
import { transferSol } from './instructions.ts';
import type { SolanaContext } from './solana-context.ts';
import { requireWallet, unfit } from './unfit-destination.ts';
import type { PayoutSteps } from './usdc-payout.ts';

export async function listNativeSteps(context: SolanaContext, destination: Address, lamports: bigint): Promise<PayoutSteps> {
  const { rpc, treasury } = context;
  const [wallet, ours] = await rpc.readAccounts([destination, treasury]);
  requireWallet(wallet);
  if (!wallet) {
    const least = await rpc.readRentMinimum(0);
    if (lamports < least) throw unfit(`holds no SOL yet and needs at least ${least} lamports to exist on chain; ${lamports} cannot arrive`);
  }
  if (BigInt(ours?.lamports ?? 0) < lamports)
    throw new TransferRefused('insufficient_native', `The treasury has too little SOL for this transfer. Send SOL to ${treasury}.`);
  return { steps: [transferSol(treasury, destination, lamports)], rentLamports: 0n };
}
