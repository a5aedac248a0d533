/**
 * Feedback in an ERC-8004 Reputation Registry, which only EVM networks have. Strangers' wallets send it; we prepare and read it. Every call
 * may throw `ChainUnavailable`.
 */
import type { Finality } from './signed-transfer.ts';

/** The arguments of the registry's call. The call's event must show the same. */
export interface PlannedFeedback {
  /** Address of the registry's contract. */
  readonly registry: string;
  /** The wallet that sends it. */
  readonly client: string;
  readonly agentId: string;
  readonly value: number;
  readonly tag1: string;
  /** URL of the feedback file, and its keccak256. */
  readonly uri: string;
  readonly fileHash: string;
}

export interface PreparedFeedback {
  /** At today's price, in wei. */
  readonly expected: bigint;
  /** The balance the wallet needs so that nodes accept the transaction. */
  readonly required: bigint;
  readonly balance: bigint;
  readonly transaction: {
    readonly chainId: number;
    readonly from: string;
    readonly to: string;
    readonly data: string;
    readonly gas: string;
    readonly maxFeePerGas: string;
    readonly maxPriorityFeePerGas: string;
    readonly nonce: number;
  };
}

export type FeedbackReading =
  /** No node shows the transaction in a block (any more). */
  | { readonly state: 'missing' }
  | { readonly state: 'failed'; readonly finality: Finality }
  /** `index` is undefined unless the transaction has an event of this registry that matches the plan exactly. */
  | { readonly state: 'landed'; readonly finality: Finality; readonly index: bigint | undefined };

export interface FeedbackRegistry {
  /** keccak256 of the UTF-8 bytes. */
  hashFile(text: string): string;
  /** Undefined: there is no contract at the registry's address. Throws `TransferRefused` when the registry would refuse the feedback. */
  prepare(planned: PlannedFeedback): Promise<PreparedFeedback | undefined>;
  read(planned: PlannedFeedback, reference: string): Promise<FeedbackReading>;
}
