/** Takers of swaps, who sign what they were quoted. */
import { getBase64EncodedWireTransaction, getTransactionDecoder, type Transaction } from '@solana/transactions';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { createSolanaWallet, type PayableMarket, type SolanaWallet } from './payers.ts';

/** A wallet with USDC and no SOL, like those that need a swap. */
export async function createTaker({ chains, localChains }: PayableMarket, usdcMicros: bigint): Promise<SolanaWallet> {
  const wallet = createSolanaWallet();
  const chain = chains.get('solana-mainnet') as Chain;
  if (usdcMicros > 0n) await localChains?.fund({ network: 'solana-mainnet', address: wallet.address, usdcMicros, native: 0n });
  for (let look = 0; look < 200; look++) {
    if ((await chain.readBalances(wallet.address)).usdcMicros >= usdcMicros) return wallet;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the faucet did not fund the taker');
}

export async function signSwap(transaction: string, wallet: SolanaWallet): Promise<string> {
  const decoded = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'));
  const signature = await wallet.signMessage(Uint8Array.from(decoded.messageBytes));
  const signatures = { ...decoded.signatures, [wallet.address]: signature } as Transaction['signatures'];
  return getBase64EncodedWireTransaction({ ...decoded, signatures });
}
