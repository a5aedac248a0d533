/** Names of the job that runs a move, for code that enqueues it. */
export const MOVE_QUEUE = 'moves';
export const RUN_MOVE = 'move.run';

export function runMoveJob(id: string, runAt?: Date) {
  return {
    kind: RUN_MOVE,
    queue: MOVE_QUEUE,
    payload: { move_id: id },
    uniqueKey: `${RUN_MOVE}:${id}`,
    ...(runAt !== undefined && { runAt }),
  };
}
