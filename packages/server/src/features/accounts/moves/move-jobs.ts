/** The job that runs one move, and the one that finds moves without a job. */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { MOVE_QUEUE, RUN_MOVE, runMoveJob } from './move-job-names.ts';
import type { MovesContext } from './moves-context.ts';
import { listDueMoves } from './repository.ts';
import { type MoveRunners, runMove } from './run-move.ts';

const DUE_PER_ROUND = 500;
const RECONCILE_SECONDS = 300;

export function moveJobs(context: MovesContext, runners: MoveRunners): readonly JobDefinition[] {
  const { db } = context.database;
  return [
    defineJob({
      kind: RUN_MOVE,
      queue: MOVE_QUEUE,
      payload: z.object({ move_id: z.string() }),
      // After the last retry the reconciler starts the job again, so no move is abandoned.
      retryAfterSeconds: [1, 5, 30, 60, 300],
      run: ({ move_id: id }, attempt) => runMove(context, runners, id, attempt),
    }),
    defineJob({
      kind: 'moves.reconcile',
      queue: MOVE_QUEUE,
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: RECONCILE_SECONDS,
      async run() {
        const due = await listDueMoves(db, DUE_PER_ROUND);
        await enqueueJobs(
          db,
          due.map((id) => runMoveJob(id)),
        );
      },
    }),
  ];
}
