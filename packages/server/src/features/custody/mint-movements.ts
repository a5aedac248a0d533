/** Movements that make something on chain instead of paying somebody: a token, an identity, an entry in a registry. Their feature says what is made; this one pays for it exactly once. */
import type { Chain, SignedTransfer, TransferOutcome } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { MovementRow } from './repository.ts';

export type MintPurpose = 'token_launch' | 'said_identity';

export interface MintMovements {
  /** `chain` pays from the wallet of the movement. */
  sign(movement: MovementRow, chain: Chain): Promise<SignedTransfer>;
  readOutcome(movement: MovementRow, chain: Chain, signed: SignedTransfer): Promise<TransferOutcome>;
  /** Whether the chain shows what was to be made, whatever is known of its transactions. `last` is the one signed last. */
  isMade(movement: MovementRow, chain: Chain, last: string): Promise<boolean>;
  /** The transaction that made it, also when another party signed it. Undefined when nothing is made. */
  findMade(movement: MovementRow, chain: Chain): Promise<string | undefined>;
  /** What only the landed transaction tells, such as the id that a registry gave. Null: everything was known before. */
  readMade(movement: MovementRow, chain: Chain, reference: string): Promise<string | null>;
  /** In the transaction that confirms the movement. `made` as of `readMade`. */
  confirm(tx: Tx, movement: MovementRow, reference: string, made: string | null): Promise<void>;
  /** In the transaction that ends the movement without a token. */
  fail(tx: Tx, movement: MovementRow, reason: string): Promise<void>;
}

export function isMint({ purpose }: Pick<MovementRow, 'purpose'>): boolean {
  return purpose === 'token_launch' || purpose === 'said_identity' || purpose === 'agent_registration';
}

/** Each movement goes to the feature that ordered it. */
export function mintsByPurpose(tokens: MintMovements, registrations: MintMovements): MintMovements {
  const of = ({ purpose }: MovementRow) => (purpose === 'agent_registration' ? registrations : tokens);
  return {
    sign: (movement, ...asked) => of(movement).sign(movement, ...asked),
    readOutcome: (movement, ...asked) => of(movement).readOutcome(movement, ...asked),
    isMade: (movement, ...asked) => of(movement).isMade(movement, ...asked),
    findMade: (movement, ...asked) => of(movement).findMade(movement, ...asked),
    readMade: (movement, ...asked) => of(movement).readMade(movement, ...asked),
    confirm: (tx, movement, ...asked) => of(movement).confirm(tx, movement, ...asked),
    fail: (tx, movement, ...asked) => of(movement).fail(tx, movement, ...asked),
  };
}
