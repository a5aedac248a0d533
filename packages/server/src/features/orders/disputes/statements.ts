/** The right to speak in a dispute: which side, and until when. */
import type { ErrorCode } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import { type OrderRow, rolesOf } from '../index.ts';
import type { DisputeRow, Side, StatementRow } from './repository.ts';

/** Statements per side. The operator who rules must be able to read them all. */
const MOST_STATEMENTS = 20;

/** The side a caller speaks for. A caller on both sides speaks as the buyer; an operator speaks for neither. */
export function sideOf(caller: Caller, order: OrderRow): Side | undefined {
  return rolesOf(caller, order).find((role) => role === 'buyer' || role === 'provider');
}

/** Why this side cannot add a statement now; undefined when it can. */
export function refusalToState(
  dispute: DisputeRow,
  statements: readonly StatementRow[],
  side: Side,
  now: Date,
): Extract<ErrorCode, 'dispute_closed' | 'evidence_time_over' | 'too_many_statements'> | undefined {
  if (dispute.state !== 'open') return 'dispute_closed';
  if (now >= dispute.evidenceUntil) return 'evidence_time_over';
  return statements.filter((statement) => statement.side === side).length < MOST_STATEMENTS ? undefined : 'too_many_statements';
}
