/** Cancels a move. Any one of the account, its wallets and the owner of the agent may do so. */
import { MarketError } from '@market/contract';
import { concernedBy } from '../../../../access/authority/concerned-by.ts';
import type { HandlersOf } from '../../../../access/call.ts';
import { reachCrashPoint } from '../../../../platform/crash-points.ts';
import type { Tx } from '../../../../platform/db/database.ts';
import { endPayoutChange } from '../../../agents/index.ts';
import { cancelOpen } from '../hold-move.ts';
import type { MovesContext } from '../moves-context.ts';
import { presentMove } from '../present.ts';
import { findShownMove, type ShownPayoutChange } from '../repository.ts';

export function cancelMove(context: MovesContext): HandlersOf<'moves'>['cancel'] {
  return async ({ id }, call) => {
    const concerned = concernedBy(call.caller);
    return await call.commit(async (tx) => {
      const move = await findShownMove(tx, context, concerned, id);
      if (move === undefined) throw new MarketError('move_not_found');
      if (move.kind === 'payout_change') return { data: await cancelWaitingPayout(tx, context, move) };
      await cancelOpen(tx, context, move, 'by_request');
      // The job may have ended the move between the two statements.
      const ended = await findShownMove(tx, context, concerned, id);
      if (ended?.state !== 'cancelled') throw new MarketError('move_ended', { data: { status: ended?.state ?? move.state } });
      reachCrashPoint('move.before_cancel_commit');
      return { data: presentMove(ended) };
    });
  };
}

/** Removes the change from its agent, so a second cancellation finds nothing. */
async function cancelWaitingPayout(tx: Tx, context: MovesContext, move: ShownPayoutChange) {
  if (!(await endPayoutChange(tx, context, move.agentId, move.effectiveAt))) throw new MarketError('move_not_found');
  return presentMove({ ...move, state: 'cancelled', reason: 'by_request', endedAt: context.clock.now() });
}
