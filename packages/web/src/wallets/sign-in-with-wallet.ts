/** What a wallet's signature is for: a session of this browser, a link to the account, or a change that must be signed itself. */
import { createMarketClient, type MarketClient } from '@market/sdk';
import type { Arguments } from '../data/answers.ts';
import type { WalletSession } from './wallet-session.ts';

/** A call that needs a signature is made by a client that holds this wallet; the signature is sent beside the cookies. */
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
