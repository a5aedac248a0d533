/** Registers agents in an ERC-8004 Identity Registry. Only EVM networks have it. Every call may throw `ChainUnavailable`. */
import type { SignedTransfer, TransferOutcome } from './signed-transfer.ts';

export interface PlannedRegistration {
  /** Address of the registry's contract. */
  readonly registry: string;
  /** Where the registration file is. */
  readonly uri: string;
}

export interface RegistrationCost {
  /** At today's price, in wei. */
  readonly expected: bigint;
  /** What the wallet must hold so that nodes take the transaction; the rest stays there. */
  readonly required: bigint;
}

export interface AgentRegistrar {
  /** Undefined: there is no contract at the registry's address. */
  estimate(planned: PlannedRegistration): Promise<RegistrationCost | undefined>;
  /** As `Chain.signTransfer`: nothing is sent. Two registrations differ only in their account nonce, so sign anew only as said there. */
  signRegistration(planned: PlannedRegistration): Promise<SignedTransfer>;
  readOutcome(planned: PlannedRegistration, signed: SignedTransfer): Promise<TransferOutcome>;
  /** The id that the registry gave in this transaction; undefined when it registered nothing for this wallet. */
  readAgentId(planned: PlannedRegistration, reference: string): Promise<string | undefined>;
  /** The transaction in which this wallet registered this file, also when another party signed it. Undefined when the registry shows none. */
  findRegistered(planned: PlannedRegistration): Promise<string | undefined>;
}
