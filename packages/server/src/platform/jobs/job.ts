import type { z } from 'zod';
import type { Tx } from '../db/database.ts';

/** A kind of background work, as a feature defines it. */
interface JobAuthoring<P> {
  readonly kind: string;
  /** Queues are independent, so that slow work of one kind never starves another. */
  readonly queue?: string;
  readonly payload: z.ZodType<P>;
  /** Seconds to wait after each failed attempt; after the last one the job is kept as `dead`. */
  readonly retryAfterSeconds: readonly number[];
  /** Repeat after every success, for ever, at the next multiple of this many seconds. */
  readonly everySeconds?: number;
  run(payload: P, attempt: JobAttempt): Promise<void>;
}

/** A job as the runner sees it: payloads from the database are validated again. */
export type JobDefinition = Omit<JobAuthoring<unknown>, 'payload'>;

export interface JobAttempt {
  readonly jobId: bigint;
  /** 1 for the first attempt. */
  readonly number: number;
  readonly isLast: boolean;
  /** Aborted when the process shuts down. */
  readonly signal: AbortSignal;
  /**
   * Ends the job inside the transaction of its effect, so that both happen or neither. Throws when another worker has taken the job over,
   * which rolls the effect back.
   */
  complete(tx: Tx): Promise<void>;
}

export function defineJob<P>(job: JobAuthoring<P>): JobDefinition {
  return { ...job, run: (payload, attempt) => job.run(job.payload.parse(payload), attempt) };
}
