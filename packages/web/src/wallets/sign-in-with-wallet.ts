/** A wallet's signature becomes a session of this browser, or links the wallet to the account that is signed in. */
import { createMarketClient, type MarketClient } from '@market/sdk';
import type { WalletSession } from './wallet-session.ts';

/** Signatures ride on the request beside the cookies, so what needs one is done by a client that holds this wallet. */
export function marketOfWallet({ kind, address, signMessage }: WalletSession): MarketClient {
  const wallet = { address, chain: kind === 'evm' ? ('base' as const) : ('solana' as const), signMessage };
  return createMarketClient({ baseUrl: location.origin, fetch: (...request) => fetch(...request), wallet });
}

export async function signInWithWallet(session: WalletSession): Promise<void> {
  await marketOfWallet(session).auth.createSession();
}

export async function linkWallet(session: WalletSession): Promise<void> {
  await marketOfWallet(session).auth.linkWallet();
}
