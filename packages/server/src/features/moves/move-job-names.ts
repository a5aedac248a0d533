/** The job of a move as a row, for the code that enqueues it. */
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
