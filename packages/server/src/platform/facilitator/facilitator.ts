/**
 * What the marketplace needs to take a standard x402 payment, whoever verifies and settles it: this process or a remote service.
 * Every call may throw `ChainUnavailable`: nothing is known then and, from `settle`, nothing has left us.
 */
import type { NetworkName } from '@market/contract';
import type { PaymentRequirements } from '@x402/core/types';

export type { PaymentRequirements };

/** A payment in whatever envelope it came: version 1 and 2 differ in the wrapping only, so what is inside is judged as version 2. */
export interface StandardPayment {
  readonly network: NetworkName;
  /** Built by us for what is bought, never taken from the payer. */
  readonly requirement: PaymentRequirements;
  /** The inner `payload` of the header. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Facilitator {
  /** Networks on which a standard payment can be settled now. */
  readonly networks: readonly NetworkName[];
  /** What the challenge must say beside the price: EIP-712 name and version on EVM, the fee payer on Solana. */
  extraOf(network: NetworkName): Readonly<Record<string, unknown>>;
  verify(payment: StandardPayment): Promise<Verified>;
  /**
   * Makes the payment happen, at most once however often it is called. Before a `failed` is told to the payer, ask `findPreempted`.
   * After `unknown`, call again with the same payment: it goes on with what was sent.
   */
  settle(payment: StandardPayment): Promise<Settled>;
  /** The one name of a payment; undefined when the payload has none and must be refused. */
  identityOf(payment: StandardPayment): string | undefined;
  /** Anybody may hand in an EIP-3009 authorisation: the transaction that used this one and paid us, if there is one. */
  findPreempted(payment: StandardPayment): Promise<string | undefined>;
}

/** `reason` is from the vocabulary of the protocol, `message` is for people. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

export type Verified = { readonly valid: true; readonly payer: string } | ({ readonly valid: false } & Refusal);

export type Settled =
  | { readonly state: 'settled'; readonly reference: string; readonly payer: string }
  /** Nothing was moved by us. `reference` is what we sent in vain; without it nothing was sent by this call. */
  | ({ readonly state: 'failed'; readonly reference?: string } & Refusal)
  /** It may have happened or may still happen. Never a reason to ask for another payment. */
  | { readonly state: 'unknown'; readonly reference?: string; readonly reason: string };
