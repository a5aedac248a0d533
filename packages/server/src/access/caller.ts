/** The caller: every identity that the credentials of the request prove. No later code parses headers. */
import type { ActionSubject, AgentId, MarketError, NetworkName, OrderId, Scope, WalletChain, WalletProof } from '@market/contract';
import type { IdpIdentity } from '../platform/idp/idp-claims.ts';

export interface AgentCaller {
  readonly id: AgentId;
  readonly name: string;
  readonly active: boolean;
  /** The owner's wallet, if the key proves it. */
  readonly ownerWallet: string | null;
  /** The recorded owner wallet. The key does not prove it if a stranger may have registered with a public reference. */
  readonly recordedOwnerWallet: string | null;
  readonly ownerUserId: string | null;
  /** The key was replaced. It may only replay stored answers, for example the answer of its own replacement. */
  readonly keyRetired: boolean;
  /** Set for a connected program whose person owns the agent only through a linked wallet: the program spends nothing of the agent. */
  readonly byLink?: true;
  /** Whether the agent's owner or the client address was banned when the key was looked up. */
  readonly ban?: { readonly address: string; readonly banned: boolean };
}

export interface UserCaller {
  readonly id: string;
  readonly admin: boolean;
  readonly identity: IdpIdentity;
  /** Canonical addresses linked to the account. */
  readonly wallets: readonly string[];
  /** Networks on which each linked contract wallet agreed to the link. Another person may hold its address elsewhere. */
  readonly contracts?: ReadonlyMap<string, readonly ProvenNetwork[]>;
  /** The token came in a cookie. */
  readonly fromCookie?: true;
}

export interface ProvenNetwork {
  readonly network: NetworkName;
  readonly caip2: string;
}

export interface WalletCaller {
  readonly chain: WalletChain;
  readonly address: string;
  readonly proof: WalletProof;
  /** The action that the wallet confirmed, for the proof `action`. */
  readonly action?: ActionSubject;
  /** The proof came in a cookie. A session made by the ordinary text counts as an old signature. */
  readonly fromCookie?: true;
  /** The path of the URL that a sign-in message names. */
  readonly signInPath?: string;
  /** The networks on which a contract wallet confirmed its signature. Absent for keys, which are one wallet on every network. */
  readonly provenOn?: readonly ProvenNetwork[];
  /** Age of the session; absent for signatures. */
  readonly sessionAgeSeconds?: number;
  /** Age of the signature; absent for sessions. */
  readonly signatureAgeMs?: number;
  /** Identifies the signature by wallet and text, so that another spelling of it is the same use. */
  readonly signatureDigest?: Buffer;
  /** Names under which the signature is marked once it was in a URL. Absent for sessions. */
  readonly addressMarks?: readonly Buffer[];
  /** The signature is over the ordinary text, which names no call. */
  readonly namesNoCall?: true;
}

/** A program that a person connected through OAuth. It calls on behalf of that person, within what they allowed. */
export interface ConnectionCaller {
  /** The grant: one person, one program. */
  readonly id: string;
  /** The name the program gave itself: untrusted. */
  readonly clientName: string;
  /** The person who connected the program. */
  readonly person: Person;
  /** One id for this person and this program over all their connections: limits and counts belong to it. */
  readonly programId: string;
  readonly scopes: readonly Scope[];
}

/** The wallet of the person on whose behalf a connected program calls. It reads and acts; it proves nothing. */
export type OnBehalfOf = Pick<WalletCaller, 'chain' | 'address' | 'provenOn'>;

/** An account or a wallet. */
export type Person = `user:${string}` | `wallet:${string}`;

export interface Caller {
  readonly agent?: AgentCaller;
  /** The connected program. Set together with the person (`user` or `onBehalfOf`) and the agent they chose. */
  readonly connection?: ConnectionCaller;
  /** Set where a wallet connected the program. `wallet` is then a signature among the arguments, if there is one. */
  readonly onBehalfOf?: OnBehalfOf;
  readonly user?: UserCaller;
  readonly wallet?: WalletCaller;
  /**
   * A contract wallet that is proven, but not on Base, the network of the addresses in our records. Another person may hold the address on
   * Base, so it acts only on orders paid on a network where it is proven.
   */
  readonly walletElsewhere?: WalletCaller;
  /** The order that the order token belongs to. */
  readonly orderId?: OrderId;
  /** The order token only reads. Other credentials of the caller keep their power. */
  readonly orderReadOnly?: true;
  /** The call carries the operators' key. */
  readonly operatorKey?: true;
  /** Why a sign-in cookie could not be used, for calls that need it. */
  readonly cookieProblem?: MarketError;
  /** The session was prolonged: the transport must prolong the browser's cookie, too. */
  readonly renewedSession?: string;
  /** True when only cookies authenticate the request, so another site could have triggered it. */
  readonly byCookieOnly: boolean;
}

/**
 * Wallets whose records the caller reads and in whose orders it acts: those of this request, and those linked to the account. To pay, move
 * or grant, ask `access/authority` instead. `on` (a network or its CAIP-2 id) limits them to one network.
 */
export function walletsOf({ user, wallet, walletElsewhere, onBehalfOf }: Caller, on?: string): readonly string[] {
  const shown = [wallet, onBehalfOf, ...(on === undefined ? [] : [walletElsewhere])].filter((one) => one !== undefined);
  return [
    ...shown.filter(({ provenOn }) => isProvenOn(provenOn, on)).map(({ address }) => address),
    ...(user === undefined ? [] : linkedOn(user, on)),
  ];
}

/** The linked wallets that count on a network. */
export function linkedOn({ wallets, contracts }: UserCaller, on: string | undefined): readonly string[] {
  return wallets.filter((address) => isProvenOn(contracts?.get(address), on));
}

/**
 * Contract wallets among those of `walletsOf`. `pairs` are `address network` for the networks where each is the caller's, by name and by
 * CAIP-2 id.
 */
export interface ContractWallets {
  readonly addresses: readonly string[];
  readonly pairs: readonly string[];
}

/** Limits contract wallets to their networks: another person may hold the address on another network. */
export function contractsOf({ user, wallet, onBehalfOf }: Caller): ContractWallets {
  const proven = [...(user?.contracts ?? []), ...[wallet, onBehalfOf].map((one) => [one?.address, one?.provenOn] as const)];
  const known = proven.flatMap(([address, networks]) => (address === undefined || networks === undefined ? [] : [{ address, networks }]));
  return {
    addresses: known.map(({ address }) => address),
    pairs: known.flatMap(({ address, networks }) =>
      networks.flatMap(({ network, caip2 }) => [`${address} ${network}`, `${address} ${caip2}`]),
    ),
  };
}

function isProvenOn(provenOn: readonly ProvenNetwork[] | undefined, on: string | undefined): boolean {
  return on === undefined || provenOn === undefined || provenOn.some(({ network, caip2 }) => network === on || caip2 === on);
}

/** The links of an account in the shape of `UserCaller`. */
export function asLinked(
  links: readonly { readonly address: string; readonly provenOn?: readonly ProvenNetwork[] | undefined }[],
): Pick<UserCaller, 'wallets' | 'contracts'> {
  const contracts = links.flatMap(({ address, provenOn }) => (provenOn === undefined ? [] : [[address, provenOn] as const]));
  return { wallets: links.map(({ address }) => address), ...(contracts.length > 0 && { contracts: new Map(contracts) }) };
}

/** The wallet that acts in this call: the one that signed, otherwise the wallet of the program's person. */
export function actingWallet({ wallet, onBehalfOf }: Caller): OnBehalfOf | undefined {
  return wallet ?? onBehalfOf;
}

export function isSomebody(caller: Caller): boolean {
  return (
    caller.connection !== undefined ||
    caller.agent !== undefined ||
    caller.user !== undefined ||
    caller.wallet !== undefined ||
    caller.walletElsewhere !== undefined ||
    caller.orderId !== undefined ||
    caller.operatorKey === true
  );
}

/** One text per principal: scopes idempotency keys and names the actor in records. */
export function principalOf(caller: Caller, clientAddress: string): string {
  if (caller.connection) return `connection:${caller.connection.id}`;
  if (caller.agent) return `agent:${caller.agent.id}`;
  if (caller.user) return `user:${caller.user.id}`;
  if (caller.wallet) return `wallet:${caller.wallet.address}`;
  if (caller.walletElsewhere) return `wallet:${caller.walletElsewhere.provenOn?.[0]?.caip2}:${caller.walletElsewhere.address}`;
  if (caller.orderId) return `order:${caller.orderId}`;
  if (caller.operatorKey) return 'operator-key';
  return `address:${clientAddress}`;
}
