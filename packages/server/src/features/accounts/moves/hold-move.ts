/** Puts a move on hold in the transaction of the call: stores the row, the job that runs it later, and the event. */
import { MarketError, type MoveKind, type MoveReason, moveLimits, toWireTime } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import { type Person, principalOf } from '../../../access/caller.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { newId } from '../../../platform/random.ts';
import { appendMoveEvent } from './move-events.ts';
import { runMoveJob } from './move-job-names.ts';
import type { MovesContext } from './moves-context.ts';
import { cancelledWords } from './present.ts';
import { changeMove, countOpen, insertMove, lockOpenMove, lockOpenMoves, lockOwner, type MoveRow, openStates } from './repository.ts';

type HoldContext = Pick<MovesContext, 'clock' | 'events' | 'payoutChangeDelaySeconds'>;

export interface HeldMove {
  /** The person who must still own the agent when the move runs. */
  readonly owner: Person;
  readonly kind: MoveKind;
  readonly agentId: MoveRow['agentId'];
  /** A new move replaces the open one of the same agent, kind and topic. */
  readonly topic: string | null;
  /** One sentence for people that says what the move will do. */
  readonly summary: string;
  /** Input of the runner of this kind. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export async function holdMove(
  tx: Tx,
  context: HoldContext,
  { caller, clientAddress }: Pick<Call, 'caller' | 'clientAddress'>,
  move: HeldMove,
): Promise<MoveRow> {
  const now = context.clock.now();
  const { owner } = move;
  await lockOwner(tx, owner);
  if (move.topic !== null && move.agentId !== null) await endOpenMove(tx, context, { ...move, agentId: move.agentId, topic: move.topic });
  if ((await countOpen(tx, owner)) >= moveLimits.mostWaiting) throw new MarketError('too_many_moves');
  const effectiveAt = new Date(now.getTime() + context.payoutChangeDelaySeconds * 1000);
  const requestedBy = principalOf(caller, clientAddress);
  const stored = await insertMove(tx, { ...move, id: newId('dmov', now), requestedBy, effectiveAt });
  await enqueueJobs(tx, [runMoveJob(stored.id, effectiveAt)]);
  await appendMoveEvent(tx, context, stored, 'move.waiting', { effective_at: toWireTime(effectiveAt) });
  reachCrashPoint('move.before_hold_commit');
  return stored;
}

/** Cancels the open move of this topic, because a newer change replaces it. False when there is none. */
export async function endOpenMove(
  tx: Tx,
  context: Pick<HoldContext, 'events'>,
  of: { readonly agentId: NonNullable<MoveRow['agentId']>; readonly kind: MoveKind; readonly topic: string },
): Promise<boolean> {
  const open = await lockOpenMove(tx, of.agentId, of.kind, of.topic);
  return open !== undefined && (await cancelOpen(tx, context, open, 'replaced'));
}

/** Cancels all open moves after a restore, because their owners may have cancelled them since the backup. Returns how many. */
export async function endRestoredMoves(tx: Tx, context: Pick<HoldContext, 'events'>): Promise<number> {
  const open = await lockOpenMoves(tx);
  for (const move of open) await cancelOpen(tx, context, move, 'restored');
  return open.length;
}

/** Cancels an open move. False when it has ended already. */
export async function cancelOpen(
  tx: Tx,
  context: Pick<HoldContext, 'events'>,
  move: Parameters<typeof appendMoveEvent>[2],
  reason: MoveReason,
): Promise<boolean> {
  if (!(await changeMove(tx, move.id, openStates, { state: 'cancelled', reason }))) return false;
  await appendMoveEvent(tx, context, move, 'move.cancelled', { reason: cancelledWords(reason) });
  return true;
}
