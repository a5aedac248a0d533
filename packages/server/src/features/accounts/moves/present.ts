/** Wire shapes of waiting moves. */
import { type MoveReason, moveReasons, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import { summaryOfPayout } from '../../agents/index.ts';
import type { MoveRow, ShownMove } from './repository.ts';

type WireMove = OperationAnswer<Operations['moves']['cancel']>['data'];

const words: Readonly<Record<MoveReason, string>> = {
  by_request: 'It was cancelled on request.',
  replaced: 'A newer change took its place.',
  owner_changed: 'The agent has another owner now.',
  expired: 'The key was not fetched in time.',
  restored: 'The marketplace was restored from a backup. Ask again.',
  stopped: 'An operator has stopped the agent.',
};

export function cancelledWords(reason: MoveReason): string {
  return words[reason];
}

export function presentMove(row: ShownMove): WireMove {
  const time = (date: Date | null) => (date === null ? null : toWireTime(date));
  return {
    id: row.id,
    kind: row.kind,
    status: row.state,
    summary: row.kind === 'payout_change' ? summaryOfPayout(row.agentName ?? '', row.payload) : row.summary,
    agent_id: row.agentId,
    agent_name: row.agentName,
    requested_at: toWireTime(row.createdAt),
    effective_at: toWireTime(row.effectiveAt),
    ready_until: time(row.readyUntil),
    ended_at: time(row.endedAt),
    reason: isReason(row.reason) ? words[row.reason] : row.reason,
    result_id: row.resultId,
  };
}

function isReason(reason: string | null): reason is MoveReason {
  return moveReasons.some((known) => known === reason);
}

/** The fields that every call adds to its answer when its move has to wait. */
export function presentWait({ id, effectiveAt }: Pick<MoveRow, 'id' | 'effectiveAt'>, because: string) {
  return { status: 'waiting', move_id: id, effective_at: toWireTime(effectiveAt), waits_because: because } as const;
}
