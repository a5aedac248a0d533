/**
 * The port of a chain, the same for Solana and EVM networks. Sandbox and mainnet differ only in addresses and RPC URLs.
 * Every call may throw `ChainUnavailable`; it never means "not paid" or "not sent".
 */

import type { NetworkName } from '@market/contract';
import type { AgentRegistrar } from './agent-registrar.ts';
import type { CoinReader } from './coin-reader.ts';
import type { EarnRouterDeployer } from './earn-router.ts';
import type { FeedbackRegistry } from './feedback-registry.ts';
import type { SeenOutgoing } from './seen-outgoing.ts';
import type { Finality, SignedTransfer, TransferOutcome } from './signed-transfer.ts';
import type { TokenLauncher } from './token-launcher.ts';
import type { TokenReader } from './token-reader.ts';
import type { YieldVenues } from './yield-venues.ts';

export type { Finality, SignedTransfer, TransferOutcome };

export interface Chain {
  readonly network: NetworkName;
  readonly kind: 'solana' | 'evm';
  /** CAIP-2 id. */
  readonly caip2: string;
  readonly usdcAddress: string;
  /** Where the marketplace receives USDC and pays from. */
  readonly treasury: string;

  /** The one spelling of a transaction reference on this network; undefined when the text cannot be one. */
  canonicalReference(text: string): string | undefined;
  /** The one spelling of an address; undefined when the text is none. */
  canonicalAddress(text: string): string | undefined;

  /** The effect of a transaction on the treasury's USDC, read from effects and not from instructions. */
  readReceipt(reference: string, known?: KnownOfReceipt): Promise<ReceiptReading>;
  /**
   * The treasury's USDC transfers after `cursor`, oldest first, to find payments that were not reported. Only final ones, which no
   * reorganisation reverts, unless asked up to the `newest`.
   */
  listTreasuryTransfers(cursor: string | null, limit: number, upTo?: 'final' | 'newest'): Promise<TransferPage>;

  /** The name of an intent on chain: its id in a Solana memo, the nonce of its authorisation on EVM. */
  intentKey(intentId: string): string;
  /**
   * USDC that left the treasury after `cursor`, up to the newest block, without what `findKnown` names (`namesOfKnown`). A null cursor
   * finds nothing and returns where to begin.
   */
  listOutgoing(
    cursor: string | null,
    findKnown: (references: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<{ readonly transfers: readonly SeenOutgoing[]; readonly cursor: string }>;
  /** Transactions that the treasury's account has sent, pending ones too. Absent where accounts do not count theirs. */
  countSent?(): Promise<bigint>;
  /** The account whose transaction these bytes are; undefined when they are none. Absent where `countSent` is. */
  findSender?(bytes: string): Promise<string | undefined>;
  /** Resolves when `listOutgoing` shows everything that was signed before this call and can still land. */
  awaitLateTransfers(): Promise<void>;

  readBalances(address: string): Promise<{ readonly usdcMicros: bigint; readonly native: bigint }>;

  /**
   * Signs a transfer from the treasury without sending it. Sending the same bytes any number of times pays at most once. Store them
   * before they are sent, and sign anew only when `readOutcome` said `expired` or `failed`: only then are the old bytes dead.
   */
  signTransfer(transfer: OutgoingTransfer, terms?: SigningTerms): Promise<SignedTransfer>;
  /**
   * Bytes with a higher fee in the place of `signed`, when that is stuck in front of the treasury's other transactions. Both together pay at
   * most once. Undefined when it is not in front, already offers the most we pay, or the network has no such thing.
   */
  replaceTransfer(transfer: OutgoingTransfer, signed: SignedTransfer): Promise<SignedTransfer | undefined>;
  /** Returns when a node has accepted the bytes. Throws `TransferRefused` when they can never land, `ChainUnavailable` when that is unknown. */
  broadcast(signed: SignedTransfer): Promise<void>;
  readOutcome(transfer: OutgoingTransfer, signed: SignedTransfer): Promise<TransferOutcome>;
  /**
   * Whether anybody can still make the payment with an authorisation seen in these bytes, as of a final block, although the bytes themselves
   * may be dead. Absent where bytes carry none.
   */
  isAuthorised?(transfer: OutgoingTransfer, signed: SignedTransfer): Promise<boolean>;
  /**
   * What the transfer costs the treasury at today's prices on top of its amount, in wei or lamports, with the rent of a token account
   * that must be opened for it. Refuses what `signTransfer` would, except that nothing need be there for the fee.
   */
  estimateFee(transfer: OutgoingTransfer): Promise<bigint>;

  /** Why this address can never receive USDC, for people; undefined if it can. */
  findUnpayable(address: string): Promise<string | undefined>;
  /** Whether the address can be paid USDC without the treasury opening an account for it. */
  canReceive(address: string): Promise<boolean>;
  /** Whether the address is a contract wallet, which somebody else may hold on another network. Keys are one wallet on every network. */
  isContract(address: string): Promise<boolean>;

  /** Blocks a transaction must be deep, its own included, before it counts as confirmed. */
  readonly confirmations: number;
  /** How deep the transaction of this receipt is by now, never more than `confirmations`. */
  countConfirmations(receipt: Receipt): Promise<number>;
  /** Prepares a payment of any wallet to the treasury. Nothing is reserved. The transfer carries `note`: a memo, or bytes after the calldata. */
  preparePayment(payer: string, micros: bigint, note?: string): Promise<PreparedPayment>;
  /** Sends a transfer to the treasury that its payer signed, and returns its reference. Throws `TransferRefused` for anything else. */
  broadcastForeign(signed: string): Promise<string>;

  /** Absent on networks whose tokens we do not read. */
  readonly tokens?: TokenReader;
  readonly coins?: CoinReader;
  /** Makes tokens that the treasury pays for and holds. */
  readonly launcher?: TokenLauncher;
  /** Registers agents that the treasury pays for and owns. */
  readonly registrar?: AgentRegistrar;
  /** Prepares and reads feedback that strangers' wallets give. */
  readonly feedback?: FeedbackRegistry;
  /** Puts the treasury's USDC to work in vaults. Absent on networks without them. */
  readonly venues?: YieldVenues;
  readonly earnRouter?: EarnRouterDeployer;

  /** ERC-1271 and ERC-6492 signatures of contract wallets; false on networks without them. */
  verifyContractSignature(address: string, text: string, signature: string): Promise<boolean>;
  /** Proves that the node serves the network we think it does; throws otherwise. */
  requireIdentity(): Promise<void>;
}

export interface TransferPage {
  readonly references: readonly string[];
  readonly cursor: string | null;
  /** There is more after the cursor already: a page ends at its limit, or after so many blocks. */
  readonly hasMore: boolean;
}

/** Facts that save a call to the node. */
export interface KnownOfReceipt {
  /** The node has just said that it landed, and whether it is final by now does not matter. */
  readonly justLanded?: boolean;
  /** The notes of the transfer are known or not needed. */
  readonly notesKnown?: boolean;
}

export type ReceiptReading =
  /** No node can show it (yet). `inBlock`: it is in a block that the network has not confirmed, so its effects are not to be read. */
  | { readonly state: 'missing'; readonly inBlock?: true }
  /** It is in a block and did nothing because it failed. */
  | { readonly state: 'failed' }
  | { readonly state: 'landed'; readonly receipt: Receipt };

export interface Receipt {
  readonly reference: string;
  /** Net change of the treasury's USDC account in this transaction; negative when it paid. */
  readonly receivedMicros: bigint;
  /** Owners of the debited USDC accounts with what each gave; the fee payer or relayer plays no part. */
  readonly payers: readonly { readonly address: string; readonly micros: bigint }[];
  /** Notes of the payer as text: memos on Solana; on EVM, the bytes after the calldata of a direct USDC transfer. */
  readonly notes: readonly string[];
  /** The account that sent the transaction and paid its fee. It need not be the payer, but identifies transactions we relayed. */
  readonly sender: string;
  /** Payers whose authorisation (EIP-3009) somebody else sent: the sender knows the transaction before they do. */
  readonly landedByOthers?: readonly string[];
  readonly blockNumber: bigint;
  readonly blockTime: Date;
  readonly finality: Finality;
}

export interface OutgoingTransfer {
  /** Names the transfer for ever: for USDC on EVM the authorisation nonce is derived from it, on Solana it is written into the memo. */
  readonly intentId: string;
  readonly destination: string;
  /** `native` is the coin fees are paid in: ETH, SOL. */
  readonly asset: 'usdc' | 'native';
  /** In the asset's smallest units: micro-USDC, wei, lamports. */
  readonly amount: bigint;
}

export interface SigningTerms {
  /** Why the treasury does not pay for opening the destination's token account. Without it, it does. */
  readonly refuseAccount?: string | undefined;
}

export interface PreparedPayment {
  readonly usdcMicros: bigint;
  readonly native: bigint;
  /** Expected network fee, in wei or lamports. */
  readonly fee: bigint;
  /** The balance a wallet must hold so that nodes accept the transaction. */
  readonly highestFee: bigint;
  readonly transaction:
    | {
        readonly kind: 'evm';
        readonly chainId: number;
        readonly from: string;
        readonly to: string;
        readonly data: string;
        readonly gas: string;
        readonly maxFeePerGas: string;
        readonly maxPriorityFeePerGas: string;
        readonly nonce: number;
      }
    | { readonly kind: 'solana'; readonly transaction: string; readonly lastValidBlockHeight: bigint };
}

/** The node cannot be asked, or nodes disagree: nothing is known. */
export class ChainUnavailable extends Error {
  readonly network: NetworkName;

  constructor(network: NetworkName, reason: string, cause?: unknown) {
    super(`${network}: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'ChainUnavailable';
    this.network = network;
  }
}

/** The transfer cannot be made as it is: no funds, no gas, a destination that cannot receive, a vault that refuses. */
export class TransferRefused extends Error {
  readonly reason: 'insufficient_usdc' | 'insufficient_native' | 'destination' | 'account' | 'venue' | 'other';

  constructor(reason: TransferRefused['reason'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TransferRefused';
    this.reason = reason;
  }
}
