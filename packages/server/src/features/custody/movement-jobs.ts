/** The job that advances one movement, and the one that finds those whose process died. */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { advanceMovement } from './advance-movement.ts';
import type { CustodyContext } from './custody-context.ts';
import { listOpenMovements } from './repository.ts';

const ADVANCE_MOVEMENT = 'movement.advance';
const MOVEMENT_QUEUE = 'movements';

export function advanceMovementJob(movementId: string, runAt?: Date) {
  return {
    kind: ADVANCE_MOVEMENT,
    queue: MOVEMENT_QUEUE,
    payload: { movement_id: movementId },
    uniqueKey: `${ADVANCE_MOVEMENT}:${movementId}`,
    ...(runAt !== undefined && { runAt }),
  };
}

export function movementJobs(context: CustodyContext): readonly JobDefinition[] {
  return [
    defineJob({
      kind: ADVANCE_MOVEMENT,
      queue: MOVEMENT_QUEUE,
      payload: z.object({ movement_id: z.string() }),
      // Never abandoned: after the last retry the reconciler starts it again.
      retryAfterSeconds: [1, 2, 5, 10, 30, 60],
      async run({ movement_id: id }, attempt) {
        const next = await advanceMovement(context, id);
        await context.database.transaction(async (tx) => {
          await attempt.complete(tx);
          if (next.kind === 'done') return;
          await enqueueJobs(tx, [advanceMovementJob(id, new Date(context.clock.now().getTime() + next.seconds * 1000))]);
        });
      },
    }),
    defineJob({
      kind: 'movement.reconcile',
      queue: MOVEMENT_QUEUE,
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: 30,
      async run() {
        const open = await listOpenMovements(context.database.db, 1_000);
        await enqueueJobs(
          context.database.db,
          open.map((id) => advanceMovementJob(id)),
        );
      },
    }),
  ];
}
