/** Cancelling is easy: the account, one of its wallets, or the owner of the agent is enough. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import { concernedBy } from '../concerned-by.ts';
import { cancelOpen } from '../hold-move.ts';
import type { MovesContext } from '../moves-context.ts';
import { presentMove } from '../present.ts';
import { findShownMove } from '../repository.ts';

export function cancelMove(context: MovesContext): HandlersOf<'moves'>['cancel'] {
  return async ({ id }, call) => {
    const concerned = concernedBy(call.caller);
    return await call.commit(async (tx) => {
      const move = await findShownMove(tx, concerned, id);
      if (move === undefined) throw new MarketError('move_not_found');
      await cancelOpen(tx, context, move, 'by_request');
      // The job may have ended it between the two statements.
      const ended = await findShownMove(tx, concerned, id);
      if (ended?.state !== 'cancelled') throw new MarketError('move_ended', { data: { status: ended?.state ?? move.state } });
      reachCrashPoint('move.before_cancel_commit');
      return { data: presentMove(ended) };
    });
  };
}
