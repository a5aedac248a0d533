/**
 * The port for standard x402 payments. This process or a remote service verifies and settles them. Every call may throw `ChainUnavailable`:
 * then the result is unknown and `settle` has sent nothing.
 */
import type { NetworkName } from '@market/contract';
import type { PaymentRequirements } from '@x402/core/types';

export type { PaymentRequirements };

/** A payment without its envelope. Versions 1 and 2 differ only in the envelope, so the payload is checked as version 2. */
export interface StandardPayment {
  readonly network: NetworkName;
  /** Built by us for the purchase, never taken from the payer. */
  readonly requirement: PaymentRequirements;
  /** The inner `payload` of the header. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Facilitator {
  /** Networks on which a standard payment can be settled now. */
  readonly networks: readonly NetworkName[];
  /** Whether standard payments can be settled on this network, even if its node is unavailable or its sponsor has no coins now. */
  supports(network: NetworkName): boolean;
  /** Fields of the challenge beside the price: EIP-712 name and version on EVM, the fee payer on Solana. */
  extraOf(network: NetworkName): Readonly<Record<string, unknown>>;
  verify(payment: StandardPayment): Promise<Verified>;
  /**
   * Settles the payment at most once, however often it is called. Before reporting `failed` to the payer, call `findPreempted`. After
   * `unknown`, call again with the same payment: it resumes with the transaction already sent.
   */
  settle(payment: StandardPayment): Promise<Settled>;
  /** The identity of a payment; undefined when the payload has none and must be refused. */
  identityOf(payment: StandardPayment): string | undefined;
  /**
   * Finds a transaction of somebody else that used the payment's EIP-3009 authorisation and paid us. Anyone can broadcast such an
   * authorisation.
   */
  findPreempted(payment: StandardPayment): Promise<string | undefined>;
}

/** `reason` is a code of the protocol, `message` is for people. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

export type Verified = { readonly valid: true; readonly payer: string } | ({ readonly valid: false } & Refusal);

export type Settled =
  | { readonly state: 'settled'; readonly reference: string; readonly payer: string }
  /** We moved no money. `reference` is our transaction that failed; without it, this call sent no transaction. */
  | ({ readonly state: 'failed'; readonly reference?: string } & Refusal)
  /** The payment may have happened or may still happen. Never ask for another one. */
  | { readonly state: 'unknown'; readonly reference?: string; readonly reason: string };
