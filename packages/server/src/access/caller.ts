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
  /** The key was replaced. It may only replay stored answers, for example that of its own replacement. */
  readonly keyRetired: boolean;
  /** A connected program acts as it, and its person owns it through a linked wallet only: it spends nothing of the agent. */
  readonly byLink?: true;
  /** Whether its owner or the client address it called from was banned when the key was looked up. */
  readonly ban?: { readonly address: string; readonly banned: boolean };
}

export interface UserCaller {
  readonly id: string;
  readonly admin: boolean;
  readonly identity: IdpIdentity;
  /** Canonical addresses linked to the account. */
  readonly wallets: readonly string[];
  /** Of linked contract wallets: the networks on which they agreed. Another person may hold the address elsewhere. */
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
  /** What the wallet agreed to, for `action`. */
  readonly action?: ActionSubject;
  /** The proof came in a cookie. A session made by the ordinary text counts as an old signature. */
  readonly fromCookie?: true;
  /** The path of the address that a sign-in message names. */
  readonly signInPath?: string;
  /** The networks on which a contract wallet confirmed its signature. Absent for keys, which are one wallet on every network. */
  readonly provenOn?: readonly ProvenNetwork[];
  /** For sessions: since they were opened. */
  readonly sessionAgeSeconds?: number;
  /** Absent for sessions. */
  readonly signatureAgeMs?: number;
  /** Identifies the signature by wallet and text, so that another spelling of it is the same use. */
  readonly signatureDigest?: Buffer;
  /** The names under which the signature is marked once it stood in an address. Absent for sessions. */
  readonly addressMarks?: readonly Buffer[];
  /** The ordinary text, which names no call. */
  readonly namesNoCall?: true;
}

/** A program that a person connected through OAuth. It calls in that person's name, within what they allowed. */
export interface ConnectionCaller {
  /** The grant: one person, one program. */
  readonly id: string;
  /** The program's own name, written by strangers. */
  readonly clientName: string;
  /** Who connected it. */
  readonly person: Person;
  /** This person and this program, over all their connections: limits and counts belong to it. */
  readonly programId: string;
  readonly scopes: readonly Scope[];
}

/** The wallet of the person in whose name a connected program calls. It reads and acts; it proves nothing. */
export type OnBehalfOf = Pick<WalletCaller, 'chain' | 'address' | 'provenOn'>;

/** An account or a wallet. */
export type Person = `user:${string}` | `wallet:${string}`;

export interface Caller {
  readonly agent?: AgentCaller;
  /** Set beside the person (`user` or `onBehalfOf`) and the agent they chose. */
  readonly connection?: ConnectionCaller;
  /** Where a wallet connected the program. `wallet` is then a signature among the arguments, if there is one. */
  readonly onBehalfOf?: OnBehalfOf;
  readonly user?: UserCaller;
  readonly wallet?: WalletCaller;
  /**
   * A contract wallet that is proven, but not on Base, the network of the addresses in our records. Another person may hold the same
   * address on Base, so it acts only on orders that were paid on a network where it is proven.
   */
  readonly walletElsewhere?: WalletCaller;
  /** The order of the token. */
  readonly orderId?: OrderId;
  /** The order token only reads. Other credentials of the caller keep their rights. */
  readonly orderReadOnly?: true;
  /** The call carries the operators' key. */
  readonly operatorKey?: true;
  /** Why a sign-in cookie could not be used, for calls that need it. */
  readonly cookieProblem?: MarketError;
  /** The session was prolonged: the browser's cookie must be, too. */
  readonly renewedSession?: string;
  /** True when only cookies authenticate the request, so another site could have triggered it. */
  readonly byCookieOnly: boolean;
}

/**
 * Wallets whose records the caller reads and in whose orders it acts: those of this request, and those linked to the account. Paying,
 * moving and granting ask `access/authority` instead. `on` (a network or its CAIP-2 id) limits them to one network.
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

/** Contract wallets among those of `walletsOf`, and the networks on which each is the caller's: `address network`, by name and by CAIP-2 id. */
export interface ContractPlaces {
  readonly addresses: readonly string[];
  readonly places: readonly string[];
}

/** Another person may hold the address of a contract on another network. */
export function contractsOf({ user, wallet, onBehalfOf }: Caller): ContractPlaces {
  const proven = [...(user?.contracts ?? []), ...[wallet, onBehalfOf].map((one) => [one?.address, one?.provenOn] as const)];
  const known = proven.flatMap(([address, networks]) => (address === undefined || networks === undefined ? [] : [{ address, networks }]));
  return {
    addresses: known.map(({ address }) => address),
    places: known.flatMap(({ address, networks }) =>
      networks.flatMap(({ network, caip2 }) => [`${address} ${network}`, `${address} ${caip2}`]),
    ),
  };
}

function isProvenOn(provenOn: readonly ProvenNetwork[] | undefined, on: string | undefined): boolean {
  return on === undefined || provenOn === undefined || provenOn.some(({ network, caip2 }) => network === on || caip2 === on);
}

/** The links of an account, as a caller has them. */
export function asLinked(
  links: readonly { readonly address: string; readonly provenOn?: readonly ProvenNetwork[] | undefined }[],
): Pick<UserCaller, 'wallets' | 'contracts'> {
  const contracts = links.flatMap(({ address, provenOn }) => (provenOn === undefined ? [] : [[address, provenOn] as const]));
  return { wallets: links.map(({ address }) => address), ...(contracts.length > 0 && { contracts: new Map(contracts) }) };
}

/** The wallet that acts in this call: the one that signed, else the person's of a connected program. */
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

/** One text per principal, for scoping idempotency keys and naming the actor in records. */
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
