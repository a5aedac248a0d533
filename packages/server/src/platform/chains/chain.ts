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
  /** The wallet in which the marketplace receives USDC and from which it pays. */
  readonly treasury: string;

  /** The canonical spelling of a transaction reference on this network; undefined when the text cannot be one. */
  canonicalReference(text: string): string | undefined;
  /** The canonical spelling of an address; undefined when the text is no address. */
  canonicalAddress(text: string): string | undefined;

  /** The effect of a transaction on the treasury's USDC, read from effects and not from instructions. */
  readReceipt(reference: string, known?: KnownOfReceipt): Promise<ReceiptReading>;
  /**
   * The treasury's USDC transfers after `cursor`, oldest first, to find payments that nobody reported. Lists only final transfers, which no
   * reorganisation reverts, unless `upTo` is `newest`.
   */
  listTreasuryTransfers(cursor: string | null, limit: number, upTo?: 'final' | 'newest'): Promise<TransferPage>;

  /** The name of an intent on chain: its id in a Solana memo, the nonce of its authorisation on EVM. */
  intentKey(intentId: string): string;
  /**
   * USDC that left the treasury after `cursor`, up to the newest block, except transfers whose names (`namesOfKnown`) `findKnown` returns.
   * A null cursor finds nothing and returns where to begin.
   */
  listOutgoing(
    cursor: string | null,
    findKnown: (references: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<{ readonly transfers: readonly SeenOutgoing[]; readonly cursor: string }>;
  /** Transactions that the treasury's account has sent, including pending ones. Absent where accounts have no nonce. */
  countSent?(): Promise<bigint>;
  /** The account that signed these transaction bytes; undefined when they are no transaction. Absent where `countSent` is. */
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
   * Bytes that replace `signed` at a higher fee, when `signed` blocks the treasury's other transactions. Both together pay at most once.
   * Undefined if it blocks nothing, already offers our highest fee, or the network has no replacement.
   */
  replaceTransfer(transfer: OutgoingTransfer, signed: SignedTransfer): Promise<SignedTransfer | undefined>;
  /**
   * Resolves when a node has accepted the bytes. Throws `TransferRefused` when they can never land, `ChainUnavailable` when that is
   * unknown.
   */
  broadcast(signed: SignedTransfer): Promise<void>;
  readOutcome(transfer: OutgoingTransfer, signed: SignedTransfer): Promise<TransferOutcome>;
  /**
   * Whether anybody can still pay with the authorisation in these bytes, as of a final block, even if the transaction itself is dead.
   * Absent where bytes contain none.
   */
  isAuthorised?(transfer: OutgoingTransfer, signed: SignedTransfer): Promise<boolean>;
  /**
   * The cost of the transfer for the treasury at today's prices, beyond its amount, in wei or lamports. Includes the rent of a token
   * account that must be opened. Refuses what `signTransfer` refuses, except a lack of coins for the fee.
   */
  estimateFee(transfer: OutgoingTransfer): Promise<bigint>;

  /** Why this address can never receive USDC, as text for people; undefined if it can. */
  findUnpayable(address: string): Promise<string | undefined>;
  /** Whether the address can be paid USDC without the treasury opening an account for it. */
  canReceive(address: string): Promise<boolean>;
  /** Whether the address is a contract wallet, which somebody else may hold on another network. Keys are one wallet on every network. */
  isContract(address: string): Promise<boolean>;

  /** Number of blocks, its own included, after which a transaction counts as confirmed. */
  readonly confirmations: number;
  /** Confirmations of the receipt's transaction so far, at most `confirmations`. */
  countConfirmations(receipt: Receipt): Promise<number>;
  /**
   * Prepares a payment of any wallet to the treasury. Reserves nothing. The transfer contains `note`: a memo, or bytes after the calldata.
   */
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

  /** Verifies ERC-1271 and ERC-6492 signatures of contract wallets; false on networks without them. */
  verifyContractSignature(address: string, text: string, signature: string): Promise<boolean>;
  /** Throws unless the node proves that it serves the expected network. */
  requireIdentity(): Promise<void>;
}

export interface TransferPage {
  readonly references: readonly string[];
  readonly cursor: string | null;
  /** More transfers follow the cursor: a page ends at its limit, or after a number of blocks. */
  readonly hasMore: boolean;
}

/** Facts that save a call to the node. */
export interface KnownOfReceipt {
  /** The node has just reported that the transaction landed, and its finality does not matter. */
  readonly justLanded?: boolean;
  /** The notes of the transfer are known or not needed. */
  readonly notesKnown?: boolean;
}

export type ReceiptReading =
  /**
   * No node shows the transaction (yet). `inBlock`: a block has it, but the network has not confirmed that block, so do not read its
   * effects.
   */
  | { readonly state: 'missing'; readonly inBlock?: true }
  /** A block has the transaction, but it failed and had no effect. */
  | { readonly state: 'failed' }
  | { readonly state: 'landed'; readonly receipt: Receipt };

export interface Receipt {
  readonly reference: string;
  /** Net change of the treasury's USDC account in this transaction; negative when it paid. */
  readonly receivedMicros: bigint;
  /** Owners of the debited USDC accounts with what each gave; the fee payer or relayer does not count. */
  readonly payers: readonly { readonly address: string; readonly micros: bigint }[];
  /** Notes of the payer as text: memos on Solana; on EVM, the bytes after the calldata of a direct USDC transfer. */
  readonly notes: readonly string[];
  /** The account that sent the transaction and paid its fee. It need not be the payer, but identifies transactions we relayed. */
  readonly sender: string;
  /** Payers whose authorisation (EIP-3009) somebody else sent: the sender knows the transaction before these payers do. */
  readonly landedByOthers?: readonly string[];
  readonly blockNumber: bigint;
  readonly blockTime: Date;
  readonly finality: Finality;
}

export interface OutgoingTransfer {
  /** The permanent name of the transfer: the nonce of a USDC authorisation on EVM is derived from it; on Solana it is the memo. */
  readonly intentId: string;
  readonly destination: string;
  /** `native` is the coin that pays network fees: ETH, SOL. */
  readonly asset: 'usdc' | 'native';
  /** In the asset's smallest units: micro-USDC, wei, lamports. */
  readonly amount: bigint;
}

export interface SigningTerms {
  /** Why the treasury does not pay for opening the destination's token account; undefined: it pays. */
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

/** The node does not answer, or nodes disagree: the result is unknown. */
export class ChainUnavailable extends Error {
  readonly network: NetworkName;

  constructor(network: NetworkName, reason: string, cause?: unknown) {
    super(`${network}: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'ChainUnavailable';
    this.network = network;
  }
}

/** The transfer cannot be made as it is: no funds, no gas, a destination that cannot receive, or a vault that refuses. */
export class TransferRefused extends Error {
  readonly reason: 'insufficient_usdc' | 'insufficient_native' | 'destination' | 'account' | 'venue' | 'other';

  constructor(reason: TransferRefused['reason'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TransferRefused';
    this.reason = reason;
  }
}
