import type { z } from 'zod';
import type { Tx } from '../db/database.ts';

/** A kind of background work, as its author writes it. */
interface JobAuthoring<P> {
  readonly kind: string;
  /** Queues are worked on independently, so that slow work of one kind never starves another. */
  readonly queue?: string;
  readonly payload: z.ZodType<P>;
  /** Seconds to wait after each failed attempt; when the list is used up the job is kept as `dead`. */
  readonly retryAfterSeconds: readonly number[];
  /** Run again after every success, for ever, at the next multiple of so many seconds. */
  readonly everySeconds?: number;
  run(payload: P, attempt: JobAttempt): Promise<void>;
}

/** As the runner sees it: payloads are validated again when they come back out of the database. */
export type JobDefinition = Omit<JobAuthoring<unknown>, 'payload'>;

export interface JobAttempt {
  readonly jobId: bigint;
  /** 1 on the first try. */
  readonly number: number;
  readonly isLast: boolean;
  /** Aborted when the process shuts down. */
  readonly signal: AbortSignal;
  /**
   * Ends the job inside the transaction that carries its effect, so that effect and end happen together or not at all.
   * Throws when another worker has taken the job over, which rolls the effect back.
   */
  complete(tx: Tx): Promise<void>;
}

export function defineJob<P>(job: JobAuthoring<P>): JobDefinition {
  return { ...job, run: (payload, attempt) => job.run(job.payload.parse(payload), attempt) };
}
