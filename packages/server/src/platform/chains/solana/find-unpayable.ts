/** Finds addresses that cannot be paid: the treasury, programs, mints, token accounts, and addresses without a key. */
import { TransferRefused } from '../chain.ts';
import { SYSTEM_PROGRAM } from './programs.ts';
import type { SolanaContext } from './solana-context.ts';
import { requireWallet, unfit } from './unfit-destination.ts';
import { requireWalletAddress } from './wallet-address.ts';

export async function findUnpayable(context: SolanaContext, address: string): Promise<string | undefined> {
  try {
    const destination = requireWalletAddress(context, address);
    if (destination === SYSTEM_PROGRAM) throw unfit('is the system program');
    const [account] = await context.rpc.readAccounts([destination]);
    requireWallet(account);
    return undefined;
  } catch (error) {
    if (error instanceof TransferRefused) return error.message;
    throw error;
  }
}
