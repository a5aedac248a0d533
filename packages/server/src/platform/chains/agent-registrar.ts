/** Registers agents in an ERC-8004 Identity Registry. Only EVM networks have it. Every call may throw `ChainUnavailable`. */
import type { SignedTransfer, TransferOutcome } from './signed-transfer.ts';

export interface PlannedRegistration {
  /** Address of the registry's contract. */
  readonly registry: string;
  /** URL of the registration file. */
  readonly uri: string;
}

export interface RegistrationCost {
  /** At today's price, in wei. */
  readonly expected: bigint;
  /** The balance the wallet needs so that nodes accept the transaction; it keeps what is not used. */
  readonly required: bigint;
}

export interface AgentRegistrar {
  /** Undefined: there is no contract at the registry's address. */
  estimate(planned: PlannedRegistration): Promise<RegistrationCost | undefined>;
  /**
   * As `Chain.signTransfer`: sends nothing. Two registrations differ only in their account nonce, so sign again only as that method allows.
   */
  signRegistration(planned: PlannedRegistration): Promise<SignedTransfer>;
  readOutcome(planned: PlannedRegistration, signed: SignedTransfer): Promise<TransferOutcome>;
  /** The id that the registry gave in this transaction; undefined when it registered nothing for this wallet. */
  readAgentId(planned: PlannedRegistration, reference: string): Promise<string | undefined>;
  /** The transaction in which this wallet registered this file, also when another party signed it. Undefined if the registry shows none. */
  findRegistered(planned: PlannedRegistration): Promise<string | undefined>;
}
