/**
 * Runs a move that is due. Repeats the checks of the request, then carries the move out and ends it in one transaction. A cancellation locks
 * the same row, so exactly one of the two happens.
 */
import { MarketError, type MoveKind, type MoveReason, moveLimits, toWireTime } from '@market/contract';
import { isBanned } from '../../../access/credentials-repository.ts';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { JobAttempt } from '../../../platform/jobs/job.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { type AgentRow, findAgent } from '../../agents/index.ts';
import { cancelOpen } from './hold-move.ts';
import { appendMoveEvent, personOf } from './move-events.ts';
import { runMoveJob } from './move-job-names.ts';
import type { MovesContext } from './moves-context.ts';
import { changeMove, findMove, isFromElsewhere, lockMove, type MoveRow } from './repository.ts';

/** The outcome of a run: the move is done, or its result is ready to be fetched. */
type MoveEnd = { readonly state: 'done'; readonly resultId: string | null } | { readonly state: 'ready' };

/** Carries out one kind of move: asks chains and venues before the transaction, then writes in it. Throws a MarketError to refuse the move. */
export type MoveRunner = (move: MoveRow, agent: AgentRow | undefined) => Promise<(tx: Tx) => Promise<MoveEnd>>;

export type MoveRunners = Readonly<Record<MoveKind, MoveRunner>>;

/** Delay before the next try when a chain or venue did not answer. */
const AGAIN_SECONDS = 60;

export async function runMove(context: MovesContext, runners: MoveRunners, id: string, attempt: JobAttempt): Promise<void> {
  const { database, clock } = context;
  const move = await findMove(database.db, id);
  const due = move === undefined ? undefined : dueOf(move);
  if (move === undefined || due === undefined) return await database.transaction((tx) => attempt.complete(tx));
  if (due.getTime() > clock.now().getTime()) return await runLater(context, attempt, id, due);
  try {
    await runDue(context, runners, move, attempt);
  } catch (error) {
    if (isPassing(error)) {
      context.log.warn({ err: error, move: id }, 'a move waits for a chain that cannot be asked');
      return await runLater(context, attempt, id, new Date(clock.now().getTime() + AGAIN_SECONDS * 1000));
    }
    if (!(error instanceof MarketError)) throw error;
    await failMove(context, move, attempt, error.message);
  }
}

/** When the move has to run or expire next; undefined when it has ended. */
function dueOf({ state, effectiveAt, readyUntil }: MoveRow): Date | undefined {
  if (state === 'waiting') return effectiveAt;
  return state === 'ready' ? (readyUntil ?? effectiveAt) : undefined;
}

function isPassing(error: unknown): boolean {
  return error instanceof ChainUnavailable || (error instanceof MarketError && error.kind === 'unavailable');
}

async function runDue(context: MovesContext, runners: MoveRunners, move: MoveRow, attempt: JobAttempt): Promise<void> {
  const { db, transaction } = context.database;
  const agent = move.agentId === null ? undefined : await findAgent(db, move.agentId);
  const isHopeless = move.state === 'ready' || (await findObstacle(db, move, agent)) !== undefined;
  const write = isHopeless ? undefined : await runners[move.kind](move, agent);
  reachCrashPoint('move.before_run');
  await transaction(async (tx) => {
    await attempt.complete(tx);
    const locked = await lockMove(tx, move.id);
    if (locked?.state !== move.state) return;
    const owned = move.agentId === null ? undefined : await findAgent(tx, move.agentId);
    const obstacle = move.state === 'ready' ? 'expired' : await findObstacle(tx, move, owned);
    if (obstacle !== undefined) return void (await cancelOpen(tx, context, move, obstacle));
    // The obstacle disappeared between the two checks, so the next run asks the chain.
    if (write === undefined) return await enqueueJobs(tx, [runMoveJob(move.id)]);
    const end = await write(tx);
    // Read the move again, because a closing gives the account another id.
    await endMove(tx, context, (await lockMove(tx, move.id)) ?? move, end);
    reachCrashPoint('move.before_run_commit');
  });
  reachCrashPoint('move.after_run');
}

/** The reason to cancel a due move, if there is one. A ban of the owner throws instead. */
async function findObstacle(
  db: Tx | MovesContext['database']['db'],
  move: MoveRow,
  agent: AgentRow | undefined,
): Promise<MoveReason | undefined> {
  const person = personOf(move.owner);
  if (await isFromElsewhere(db, move.id)) return 'restored';
  if (move.agentId !== null && !isStillOwnedBy(person, agent)) return 'owner_changed';
  if (agent?.moderationStatus === 'spam') return 'stopped';
  if (await isBanned(db, [], [person])) throw new MarketError('banned');
  return undefined;
}

/** Same rule as `requireMover`: an agent with an owner wallet needs that wallet's signature, which a move of an account lacks. */
function isStillOwnedBy({ userId, wallet }: ReturnType<typeof personOf>, agent: AgentRow | undefined): boolean {
  if (agent === undefined || agent.ownerConflict) return false;
  return wallet === null ? agent.ownerUserId === userId && agent.ownerWallet === null : agent.ownerWallet === wallet;
}

async function endMove(tx: Tx, context: MovesContext, move: MoveRow, end: MoveEnd): Promise<void> {
  if (end.state === 'done') {
    const { resultId } = end;
    await requireChange(changeMove(tx, move.id, ['waiting'], { state: 'done', ...(resultId !== null && { resultId }) }), move);
    return await appendMoveEvent(tx, context, move, 'move.done', { result_id: resultId });
  }
  const readyUntil = new Date(context.clock.now().getTime() + moveLimits.readyHours * 3_600_000);
  await requireChange(changeMove(tx, move.id, ['waiting'], { state: 'ready', readyUntil }), move);
  await enqueueJobs(tx, [runMoveJob(move.id, readyUntil)]);
  await appendMoveEvent(tx, context, move, 'move.ready', { ready_until: toWireTime(readyUntil) });
}

/** Throws, and so undoes the effect, if the state did not change. The row is locked, so this should never happen. */
async function requireChange(changed: Promise<boolean>, { id }: MoveRow): Promise<void> {
  if (!(await changed)) throw new Error(`${id} ended while it was locked`);
}

async function failMove(context: MovesContext, move: MoveRow, attempt: JobAttempt, reason: string): Promise<void> {
  await context.database.transaction(async (tx) => {
    await attempt.complete(tx);
    if (await changeMove(tx, move.id, ['waiting'], { state: 'failed', reason }))
      await appendMoveEvent(tx, context, move, 'move.failed', { reason });
  });
}

async function runLater({ database }: MovesContext, attempt: JobAttempt, id: string, at: Date): Promise<void> {
  await database.transaction(async (tx) => {
    await attempt.complete(tx);
    await enqueueJobs(tx, [runMoveJob(id, at)]);
  });
}
