/**
 * Works through the jobs table: claims due rows with a lease, runs them, retries on the job's own schedule. Any number of
 * processes may run one; a process that dies loses its leases and another goes on.
 */
import { type Alarm, createAlarm } from '../alarm.ts';
import type { Clock } from '../clock/clock.ts';
import { CLOCK_CHANNEL } from '../clock/database-clock.ts';
import type { Database } from '../db/database.ts';
import type { Notifications } from '../db/notifications.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { JobAttempt, JobDefinition } from './job.ts';
import {
  buryJob,
  type ClaimedJob,
  claimJobs,
  deleteJob,
  enqueueJobs,
  JOBS_CHANNEL,
  postponeJob,
  readWaits,
  renewLeases,
  returnExpiredLeases,
  returnJobs,
} from './job-repository.ts';

export interface JobRunner {
  start(): Promise<void>;
  /** Stops claiming, lets running jobs finish for a while, hands the rest back. */
  stop(graceMs: number): Promise<void>;
}

export interface JobRunnerOptions {
  readonly database: Database;
  readonly notifications: Notifications;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly definitions: readonly JobDefinition[];
  readonly concurrencyPerQueue?: number;
  readonly leaseSeconds?: number;
}

/** Wake up now and then even without a notification: they are lost while the listener reconnects. */
const LONGEST_SLEEP_MS = 5_000;

class LeaseLost extends Error {}

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { database, notifications, log, metrics } = options;
  const concurrency = options.concurrencyPerQueue ?? 10;
  const leaseSeconds = options.leaseSeconds ?? 30;
  const definitions = new Map(options.definitions.map((definition) => [definition.kind, definition]));
  const queues = [...new Set(options.definitions.map((definition) => definition.queue ?? 'default'))];
  const running = new Map<bigint, { job: ClaimedJob; done: Promise<void> }>();
  const abort = new AbortController();
  const alarms = new Map(queues.map((queue) => [queue, createAlarm()]));
  const loops: Promise<void>[] = [];
  let renewal: NodeJS.Timeout | undefined;

  async function start(): Promise<void> {
    await enqueueJobs(
      database.db,
      options.definitions.filter((d) => d.everySeconds !== undefined).map((d) => recurrence(d)),
    );
    // Whoever enqueues names the queue; after a lost connection nobody knows which.
    notifications.on(JOBS_CHANNEL, (queue) => (queue ? alarms.get(queue)?.ring() : wakeAll()));
    // Moving the market clock makes waiting jobs due.
    notifications.on(CLOCK_CHANNEL, wakeAll);
    renewal = setInterval(() => void tendLeases(), (leaseSeconds * 1000) / 3);
    for (const [queue, alarm] of alarms) loops.push(work(queue, alarm));
  }

  function wakeAll(): void {
    for (const { ring } of alarms.values()) ring();
  }

  async function work(queue: string, alarm: Alarm): Promise<void> {
    const held = new Set<Promise<void>>();
    while (!abort.signal.aborted) {
      try {
        const room = concurrency - held.size;
        const jobs = await claimJobs(database.pool, queue, room, leaseSeconds);
        for (const job of jobs) {
          const done = runOne(job, alarm).finally(() => {
            running.delete(job.id);
            held.delete(done);
          });
          held.add(done);
          running.set(job.id, { job, done });
        }
        // Fewer than there was room for: what becomes due from now on is announced, or known by its time.
        if (jobs.length === room) await Promise.race(held);
        else await alarm.wait(await idleMs(queue));
      } catch (error) {
        log.error({ err: error, queue }, 'the job queue cannot be read');
        await alarm.wait(1_000);
      }
    }
  }

  async function idleMs(queue: string): Promise<number> {
    const { toNextJob, toNextLeaseEnd } = await readWaits(database.pool, queue);
    if (toNextLeaseEnd !== null && toNextLeaseEnd <= 0) await takeBackLeases();
    return Math.min(Math.max(toNextJob ?? LONGEST_SLEEP_MS, 0), Math.max(toNextLeaseEnd ?? LONGEST_SLEEP_MS, 0), LONGEST_SLEEP_MS);
  }

  async function takeBackLeases(): Promise<void> {
    if ((await returnExpiredLeases(database.pool)) > 0) wakeAll();
  }

  async function runOne(job: ClaimedJob, alarm: Alarm): Promise<void> {
    const definition = definitions.get(job.kind);
    if (definition === undefined) {
      // A newer process enqueued a kind this one does not know: leave it to that one.
      await postponeJob(database.pool, job, 30, 'this process does not know the kind').catch(() => {});
      alarm.ring();
      return;
    }
    const started = performance.now();
    try {
      await attemptJob(definition, job);
      metrics.jobFinished(job.kind, 'done', performance.now() - started);
    } catch (error) {
      if (abort.signal.aborted || error instanceof LeaseLost) return;
      metrics.jobFinished(job.kind, 'failed', performance.now() - started);
      await retryLater(definition, job, error).catch((cause) =>
        log.error({ err: cause, job: job.kind }, 'a failed job could not be rescheduled'),
      );
      // It may be due before anything that was known of.
      alarm.ring();
    }
  }

  async function attemptJob(definition: JobDefinition, job: ClaimedJob): Promise<void> {
    let completed = false;
    const attempt: JobAttempt = {
      jobId: job.id,
      number: job.attempts,
      isLast: job.attempts > definition.retryAfterSeconds.length,
      signal: abort.signal,
      async complete(tx) {
        if (!(await deleteJob(tx, job))) throw new LeaseLost();
        if (definition.everySeconds !== undefined) await enqueueJobs(tx, [recurrence(definition)]);
        completed = true;
      },
    };
    await definition.run(job.payload, attempt);
    if (!completed) await database.transaction((tx) => attempt.complete(tx));
  }

  async function retryLater(definition: JobDefinition, job: ClaimedJob, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const delay = definition.retryAfterSeconds[job.attempts - 1] ?? definition.everySeconds;
    if (delay !== undefined) {
      log.warn({ err: error, job: job.kind, attempt: job.attempts }, 'a job failed and will be tried again');
      await postponeJob(database.pool, job, delay, reason);
      return;
    }
    log.error({ err: error, job: job.kind, attempt: job.attempts }, 'a job failed for good');
    await buryJob(database.pool, job, reason);
  }

  function recurrence(definition: JobDefinition): { kind: string; queue: string; payload: object; uniqueKey: string; runAt: Date } {
    const seconds = definition.everySeconds ?? 0;
    return {
      kind: definition.kind,
      queue: definition.queue ?? 'default',
      payload: {},
      uniqueKey: `every:${definition.kind}`,
      runAt: new Date(options.clock.now().getTime() + seconds * 1000),
    };
  }

  /** Ours are kept alive; those of the dead are taken back here too, for a runner that is never idle. */
  async function tendLeases(): Promise<void> {
    const jobs = [...running.values()].map(({ job }) => job);
    try {
      if (jobs.length > 0) await renewLeases(database.pool, jobs, leaseSeconds);
      await takeBackLeases();
    } catch (error) {
      log.warn({ err: error }, 'leases could not be renewed');
    }
  }

  async function stop(graceMs: number): Promise<void> {
    abort.abort();
    clearInterval(renewal);
    wakeAll();
    const finished = Promise.allSettled([...loops, ...[...running.values()].map(({ done }) => done)]);
    await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
    const unfinished = [...running.values()].map(({ job }) => job);
    if (unfinished.length > 0) await returnJobs(database.pool, unfinished).catch(() => {});
  }

  return { start, stop };
}
