/** Answers from the table of authority about one operation. */
import type { OperationSpec } from '../define-operation.ts';
import { type Power, powerNames } from './powers.ts';
import { type Proof, type WalletProof, walletProofs } from './proofs.ts';
import { type Cell, cellOf, conditionsByOperation } from './table.ts';

type Authority = Pick<OperationSpec, 'power' | 'proofs' | 'withoutProofs' | 'fieldPowers'>;

/** The strongest power among the operation's own and those of the given fields. */
export function powerOf({ power, fieldPowers = {} }: Authority, args: Readonly<Record<string, unknown>> = {}): Power {
  const asked = Object.entries(fieldPowers).flatMap(([field, needed]) => {
    const value = args[field];
    if (value === undefined) return [];
    if (typeof needed === 'string') return [needed];
    // Argument validation refuses values of other types.
    return typeof value === 'boolean' || typeof value === 'string' ? (needed[`${value}`] ?? []) : [];
  });
  return [power, ...asked].reduce((one, other) => (powerNames.indexOf(other) > powerNames.indexOf(one) ? other : one));
}

/** Whether this proof can give the operation its power. A condition may still refuse it in the handler. */
export function permits(proof: Proof, spec: Authority, power: Power = spec.power): boolean {
  if (spec.withoutProofs?.includes(proof) === true) return false;
  const cell = cellOf(proof, power);
  if (typeof cell === 'boolean') return cell;
  return !isByOperation(cell) || spec.proofs?.includes(proof) === true;
}

/** Whether an operation must list the proof in `proofs` to accept it. */
export function isByOperation(cell: Cell): boolean {
  return (conditionsByOperation as readonly Cell[]).includes(cell);
}

/** The proofs of a wallet that give the operation its power. */
export function walletProofsOf(spec: Authority, power: Power = spec.power): readonly WalletProof[] {
  return walletProofs.filter((proof) => permits(proof, spec, power));
}

/**
 * The text that a wallet signs for a call:
 * - ordinary: `market:<wallet>:<ts>`, reusable for 15 minutes;
 * - single_use: the same text, or one that also names host, method and path; at most 5 minutes old, accepted once;
 * - action: a message that POST /api/auth/challenge gives, accepted once;
 * - custody: the text also names host, method, path and body hash, accepted once.
 */
export type SignatureTier = 'ordinary' | 'single_use' | 'action' | 'custody';

/** The weakest signature tier that the operation accepts. */
export function signatureTierOf(spec: Authority, args?: Readonly<Record<string, unknown>>): SignatureTier {
  const accepted = walletProofsOf(spec, powerOf(spec, args));
  if (accepted.includes('signature')) return 'ordinary';
  if (accepted.includes('single_use')) return 'single_use';
  return accepted.includes('action') ? 'action' : 'custody';
}
