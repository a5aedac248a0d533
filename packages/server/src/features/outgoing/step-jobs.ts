/** Jobs that take one step per run, and jobs that find the steps left by crashed processes. */
import { z } from 'zod';
import type { Clock } from '../../platform/clock/clock.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Database } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs, type NewJob } from '../../platform/jobs/job-repository.ts';
import type { NextStep } from './next-step.ts';

/** Never abandoned: after the last retry the reconciler starts it again. */
const RETRIES = [1, 2, 5, 10, 30, 60];

interface StepContext {
  readonly database: Database;
  readonly clock: Clock;
}

/** A kind of step. Its payload has one field, with the id of the row that the step advances. */
export interface StepKind {
  readonly kind: string;
  readonly queue: string;
  /** The payload's field. */
  readonly field: string;
}

/** A step as a row to enqueue. At most one step of a kind and id waits at a time. */
export function stepJob({ kind, queue, field }: StepKind, id: string, runAt?: Date): NewJob & { readonly uniqueKey: string } {
  return { kind, queue, payload: { [field]: id }, uniqueKey: `${kind}:${id}`, ...(runAt !== undefined && { runAt }) };
}

export function defineStepJob({ database, clock }: StepContext, step: StepKind, run: (id: string) => Promise<NextStep>): JobDefinition {
  return defineJob({
    kind: step.kind,
    queue: step.queue,
    payload: z.record(z.string(), z.string()),
    retryAfterSeconds: RETRIES,
    async run(payload, attempt) {
      const id = z.string().parse(payload[step.field]);
      const next = await run(id);
      reachCrashPoint('outgoing.after_step');
      await database.transaction(async (tx) => {
        await attempt.complete(tx);
        if (next.kind === 'done') return;
        await enqueueJobs(tx, [stepJob(step, id, new Date(clock.now().getTime() + next.seconds * 1000))]);
        reachCrashPoint('outgoing.before_requeue_commit');
      });
    },
  });
}

const RECONCILE_SECONDS = 30;
const OPEN_PER_ROUND = 1_000;

/** Enqueues a step for every row that is open. */
export function defineReconciler(
  { database: { db } }: StepContext,
  { kind, step, listOpen }: { readonly kind: string; readonly step: StepKind; listOpen(limit: number): Promise<readonly string[]> },
): JobDefinition {
  return defineJob({
    kind,
    queue: step.queue,
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: RECONCILE_SECONDS,
    async run() {
      const open = await listOpen(OPEN_PER_ROUND);
      await enqueueJobs(
        db,
        open.map((id) => stepJob(step, id)),
      );
    },
  });
}
