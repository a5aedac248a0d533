/** Who is calling: every identity the request's credentials prove. Credentials are read once, here nobody parses headers again. */
import type { AgentId, MarketError, NetworkName, OrderId, WalletChain } from '@market/contract';
import type { IdpIdentity } from '../platform/idp/idp-claims.ts';

export interface AgentCaller {
  readonly id: AgentId;
  readonly name: string;
  readonly active: boolean;
  /** The owner's wallet, as far as the key vouches for it. */
  readonly ownerWallet: string | null;
  /** The owner's wallet as it is recorded: a stranger who paid with a public reference may hold the key of such an agent. */
  readonly recordedOwnerWallet: string | null;
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

export interface ProvenNetwork {
  readonly network: NetworkName;
  readonly caip2: string;
}

export interface WalletCaller {
  readonly chain: WalletChain;
  readonly address: string;
  readonly proof: WalletProof;
  /** The networks on which a contract wallet stood by its signature. Absent for keys, which are the same wallet on every network. */
  readonly provenOn?: readonly ProvenNetwork[];
  /** Absent for sessions. */
  readonly signatureAgeMs?: number;
  /** Identifies the signature by wallet and text, so that another spelling of it is the same use. */
  readonly signatureDigest?: Buffer;
}

export interface Caller {
  readonly agent?: AgentCaller;
  readonly user?: UserCaller;
  readonly wallet?: WalletCaller;
  /**
   * A contract wallet that is proven, but not on the network whose addresses our records mean (Base). Somebody else may hold the same
   * address there, so it acts only on orders that were paid on a network it is proven on.
   */
  readonly walletElsewhere?: WalletCaller;
  /** The order whose token was shown. */
  readonly orderId?: OrderId;
  /** That token only reads. Nothing else about the caller is bound by it. */
  readonly orderReadOnly?: true;
  /** Why a sign-in cookie could not be used, for calls that need it. */
  readonly cookieProblem?: MarketError;
  /** The session was prolonged: the browser's cookie must be, too. */
  readonly renewedSession?: string;
  /** True when nothing but cookies vouches for this request, which another site could have triggered. */
  readonly byCookieOnly: boolean;
}

/** Wallets the caller has shown to be theirs, in this request or by linking them before; with `on` (a network or its CAIP-2 id), there. */
export function provenWallets({ user, wallet, walletElsewhere }: Caller, on?: string): readonly string[] {
  const isProvenOn = ({ provenOn }: WalletCaller) =>
    on === undefined || provenOn === undefined || provenOn.some(({ network, caip2 }) => network === on || caip2 === on);
  const shown = [wallet, ...(on === undefined ? [] : [walletElsewhere])].filter((one) => one !== undefined);
  return [...shown.filter(isProvenOn).map(({ address }) => address), ...(user?.wallets ?? [])];
}

export function isSomebody(caller: Caller): boolean {
  return (
    caller.agent !== undefined ||
    caller.user !== undefined ||
    caller.wallet !== undefined ||
    caller.walletElsewhere !== undefined ||
    caller.orderId !== undefined
  );
}

/** One text per principal, for scoping idempotency keys and naming the actor in records. */
export function principalOf(caller: Caller, clientAddress: string): string {
  if (caller.agent) return `agent:${caller.agent.id}`;
  if (caller.user) return `user:${caller.user.id}`;
  if (caller.wallet) return `wallet:${caller.wallet.address}`;
  if (caller.walletElsewhere) return `wallet:${caller.walletElsewhere.provenOn?.[0]?.caip2}:${caller.walletElsewhere.address}`;
  if (caller.orderId) return `order:${caller.orderId}`;
  return `address:${clientAddress}`;
}
