/** Movements that make something on chain: a token, an identity, a registry entry. Another feature says what is made; this one pays for it once. */
import type { Chain, SignedTransfer, TransferOutcome } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { MovementRow } from './repository.ts';

export type MintPurpose = 'token_launch' | 'said_identity';

export interface MintMovements {
  /** Signs with `chain`, which pays from the wallet of the movement. */
  sign(movement: MovementRow, chain: Chain): Promise<SignedTransfer>;
  readOutcome(movement: MovementRow, chain: Chain, signed: SignedTransfer): Promise<TransferOutcome>;
  /** True if the chain shows the result, whatever the books say of its transactions. `last` is the latest signed one. */
  isMade(movement: MovementRow, chain: Chain, last: string): Promise<boolean>;
  /** The transaction that made the result, even if another party signed it. Undefined when there is no result. */
  findMade(movement: MovementRow, chain: Chain): Promise<string | undefined>;
  /** A value that only the landed transaction shows, such as the id from a registry. Null: there is none. */
  readMade(movement: MovementRow, chain: Chain, reference: string): Promise<string | null>;
  /** Runs in the transaction that confirms the movement. `made` comes from `readMade`. */
  confirm(tx: Tx, movement: MovementRow, reference: string, made: string | null): Promise<void>;
  /** Runs in the transaction that ends the movement without a result. */
  fail(tx: Tx, movement: MovementRow, reason: string): Promise<void>;
}

export function isMint({ purpose }: Pick<MovementRow, 'purpose'>): boolean {
  return purpose === 'token_launch' || purpose === 'said_identity' || purpose === 'agent_registration';
}

/** Passes each movement to the feature that requested it. */
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
