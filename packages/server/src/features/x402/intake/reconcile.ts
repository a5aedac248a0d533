/** Finishes standard payments whose request ended first: killed, timed out, or answered 503. */
import { networkNames } from '@market/contract';
import { z } from 'zod';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import { requireKnownDatabase } from '../../../platform/db/database-identity.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { isContestable } from '../../payments/index.ts';
import { BOOK_REGISTRATION_FEE, bookRegistrationFee, registrationFeeJob } from '../registration/registration-fee.ts';
import type { X402Context } from '../x402-context.ts';
import { finishPayment } from './finish.ts';
import { RECONCILE_PAYMENT, reconcileJob } from './pay-by-signature.ts';
import { findPayment, listUnfinished } from './repository.ts';

const QUEUE = 'x402';
/** A multiple of three, like the intervals of other frequent jobs: one look at the queue serves all. */
const SWEEP_SECONDS = 12;
const SWEEP_ROWS = 500;

export function x402Jobs(context: X402Context): readonly JobDefinition[] {
  return [
    defineJob({
      kind: RECONCILE_PAYMENT,
      queue: QUEUE,
      payload: z.object({ caip2: z.string(), alias: z.string() }),
      retryAfterSeconds: [1, 2, 5, 10, 30],
      async run(key) {
        const row = await findPayment(context.database.db, key);
        if (row === undefined || row.state === 'settled' || row.state === 'failed') return;
        const finished = await finishPayment(context, row);
        if (finished.state === 'unknown') throw new Error(`payment ${key.alias} is not known yet`);
      },
    }),
    defineJob({
      kind: BOOK_REGISTRATION_FEE,
      queue: QUEUE,
      payload: z.object({ agent_id: z.string(), network: z.enum(networkNames) }),
      retryAfterSeconds: [1, 2, 5, 10, 30],
      async run({ agent_id: subjectId, network }, attempt) {
        await context.database.transaction(async (tx) => {
          await requireKnownDatabase(tx);
          // A restore has moved the end of the window: the sweep looks again after it.
          if (!(await isContestable(tx, subjectId))) await bookRegistrationFee(tx, { subjectId }, network);
          await attempt.complete(tx);
          reachCrashPoint('x402.before_earn_commit');
        });
      },
    }),
    defineJob({
      kind: 'x402.sweep',
      queue: QUEUE,
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: SWEEP_SECONDS,
      async run() {
        const now = context.clock.now();
        const { open, unearned } = await listUnfinished(context.database.db, SWEEP_ROWS);
        await enqueueJobs(context.database.db, [
          ...open.map((key) => reconcileJob(key, now)),
          ...unearned.map(({ subjectId, network }) => registrationFeeJob(subjectId, network)),
        ]);
      },
    }),
  ];
}
