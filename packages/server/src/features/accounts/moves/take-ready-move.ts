/** Uses up a move whose result is ready, once, for the owner who requested it. */
import type { AgentId, MoveKind } from '@market/contract';
import type { Person } from '../../../access/caller.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { appendMoveEvent } from './move-events.ts';
import type { MovesContext } from './moves-context.ts';
import { changeMove, isFromElsewhere, lockOpenMove, type MoveRow } from './repository.ts';

export type FoundMove = { readonly kind: 'taken' } | { readonly kind: 'waiting'; readonly move: MoveRow } | { readonly kind: 'none' };

/** `taken`: the move was ready and is done now. `waiting`: it still waits. `none`: this owner has no valid open move of this topic. */
export async function takeReadyMove(
  tx: Tx,
  context: Pick<MovesContext, 'clock' | 'events'>,
  of: { readonly agentId: AgentId; readonly kind: MoveKind; readonly topic: string; readonly owner: Person },
): Promise<FoundMove> {
  const open = await lockOpenMove(tx, of.agentId, of.kind, of.topic);
  if (open === undefined || open.owner !== of.owner || (await isFromElsewhere(tx, open.id))) return { kind: 'none' };
  if (open.state === 'waiting') return { kind: 'waiting', move: open };
  if (open.readyUntil === null || open.readyUntil.getTime() <= context.clock.now().getTime()) return { kind: 'none' };
  await changeMove(tx, open.id, ['ready'], { state: 'done' });
  await appendMoveEvent(tx, context, open, 'move.done', { result_id: null });
  return { kind: 'taken' };
}
