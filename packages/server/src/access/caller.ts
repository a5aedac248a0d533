/** Who is calling: every identity the request's credentials prove. Credentials are read once, here nobody parses headers again. */
import type { AgentId, MarketError, OrderId, WalletChain } from '@market/contract';
import type { IdpIdentity } from '../platform/idp/idp-claims.ts';

export interface AgentCaller {
  readonly id: AgentId;
  readonly name: string;
  readonly active: boolean;
  readonly ownerWallet: string | null;
  readonly ownerUserId: string | null;
  /** The key was replaced: it may only fetch an answer that is already stored, such as that of its own replacement. */
  readonly keyRetired: boolean;
}

export interface UserCaller {
  readonly id: string;
  readonly admin: boolean;
  readonly identity: IdpIdentity;
  /** Canonical addresses linked to the account. */
  readonly wallets: readonly string[];
}

/** `ordinary` and `custody` are signatures over the two kinds of text; `session` is a cookie that one was exchanged for. */
export type WalletProof = 'ordinary' | 'custody' | 'session';

export interface WalletCaller {
  readonly chain: WalletChain;
  readonly address: string;
  readonly proof: WalletProof;
  /** Absent for sessions. */
  readonly signatureAgeMs?: number;
  /** Identifies the signature by wallet and text, so that another spelling of it is the same use. */
  readonly signatureDigest?: Buffer;
}

export interface Caller {
  readonly agent?: AgentCaller;
  readonly user?: UserCaller;
  readonly wallet?: WalletCaller;
  /** The order whose token was shown. */
  readonly orderId?: OrderId;
  /** Why a sign-in cookie could not be used, for calls that need it. */
  readonly cookieProblem?: MarketError;
  /** The session was prolonged: the browser's cookie must be, too. */
  readonly renewedSession?: string;
  /** True when nothing but cookies vouches for this request, which another site could have triggered. */
  readonly byCookieOnly: boolean;
}

export function isSomebody(caller: Caller): boolean {
  return caller.agent !== undefined || caller.user !== undefined || caller.wallet !== undefined || caller.orderId !== undefined;
}

/** Wallets the caller has shown to be theirs, in this request or by linking them before. */
export function provenWallets({ user, wallet }: Caller): readonly string[] {
  return [...(wallet === undefined ? [] : [wallet.address]), ...(user?.wallets ?? [])];
}

/** One text per principal, for scoping idempotency keys and naming the actor in records. */
export function principalOf(caller: Caller, clientAddress: string): string {
  if (caller.agent) return `agent:${caller.agent.id}`;
  if (caller.user) return `user:${caller.user.id}`;
  if (caller.wallet) return `wallet:${caller.wallet.address}`;
  if (caller.orderId) return `order:${caller.orderId}`;
  return `address:${clientAddress}`;
}
