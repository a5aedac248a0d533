/** Uses of a wallet's signature: a session of this browser, a link to the account, or a change that needs its own signature. */
import { createMarketClient, type MarketClient } from '@market/sdk';
import type { Arguments } from '../data/answers.ts';
import type { WalletSession } from './wallet-session.ts';

/** A client whose calls this wallet signs; it sends the signature beside the cookies. */
export function marketOfWallet({ kind, address, signMessage, signIn }: WalletSession, apiKey?: string): MarketClient {
  const chain = kind === 'evm' ? ('base' as const) : ('solana' as const);
  const wallet = { address, chain, signMessage, ...(signIn !== undefined && { signIn }) };
  const key = apiKey === undefined ? {} : { apiKey };
  return createMarketClient({ baseUrl: location.origin, fetch: (...request) => fetch(...request), wallet, ...key });
}

export async function signInWithWallet(session: WalletSession): Promise<void> {
  await marketOfWallet(session).auth.createSession();
}

export async function linkWallet(session: WalletSession): Promise<void> {
  await marketOfWallet(session).auth.linkWallet();
}

/** The owner signs exactly this change of a payout address. */
export async function changePayoutWithWallet(session: WalletSession, change: Arguments<'agents.update'>): Promise<void> {
  await marketOfWallet(session).agents.update(change);
}
