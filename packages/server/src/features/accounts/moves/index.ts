/** Waiting moves: a move that only an account vouches for leaves after a day, announced and cancellable. One mechanism for all kinds. */
import { concernedBy } from '../../../access/authority/concerned-by.ts';
import type { HandlersOf } from '../../../access/call.ts';
import { cancelMove } from './commands/cancel-move.ts';
import type { MovesContext } from './moves-context.ts';
import { presentMove } from './present.ts';
import { listMoves } from './repository.ts';

export function moveHandlers(context: MovesContext): HandlersOf<'moves'> {
  return {
    async list(page, { caller }) {
      const { rows, total, nextCursor } = await listMoves(context.database.db, context, concernedBy(caller), page);
      return { data: rows.map(presentMove), total, next_cursor: nextCursor };
    },
    cancel: cancelMove(context),
  };
}

export { cancelOpen, endOpenMove, endRestoredMoves, holdMove } from './hold-move.ts';
export { actorOf } from './move-events.ts';
export { moveJobs } from './move-jobs.ts';
export { presentWait } from './present.ts';
export { listOpenMovesOf, type MoveRow } from './repository.ts';
export type { MoveRunner, MoveRunners } from './run-move.ts';
export { takeReadyMove } from './take-ready-move.ts';
