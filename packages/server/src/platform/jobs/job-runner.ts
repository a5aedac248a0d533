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
  type NewJob,
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
  const runner = new Runner(options);
  return { start: () => runner.start(), stop: (graceMs) => runner.stop(graceMs) };
}

class Runner {
  private readonly options: JobRunnerOptions;
  private readonly concurrency: number;
  private readonly leaseSeconds: number;
  private readonly definitions: ReadonlyMap<string, JobDefinition>;
  private readonly alarms: ReadonlyMap<string, Alarm>;
  private readonly running = new Map<bigint, { job: ClaimedJob; done: Promise<void> }>();
  private readonly abort = new AbortController();
  private readonly loops: Promise<void>[] = [];
  private renewal: NodeJS.Timeout | undefined;

  constructor(options: JobRunnerOptions) {
    this.options = options;
    this.concurrency = options.concurrencyPerQueue ?? 10;
    this.leaseSeconds = options.leaseSeconds ?? 30;
    this.definitions = new Map(options.definitions.map((definition) => [definition.kind, definition]));
    this.alarms = new Map(options.definitions.map(({ queue = 'default' }) => [queue, createAlarm()]));
  }

  async start(): Promise<void> {
    const { database, notifications, definitions } = this.options;
    const recurring = definitions.filter(({ everySeconds }) => everySeconds !== undefined);
    await enqueueJobs(
      database.db,
      recurring.map((definition) => this.nextRun(definition)),
    );
    // A notification names its queue; after a reconnect the queue is unknown, so wake all.
    notifications.on(JOBS_CHANNEL, (queue) => (queue ? this.alarms.get(queue)?.ring() : this.wakeAll()));
    // Moving the market clock makes waiting jobs due.
    notifications.on(CLOCK_CHANNEL, () => this.wakeAll());
    this.renewal = setInterval(() => void this.tendLeases(), (this.leaseSeconds * 1000) / 3);
    for (const [queue, alarm] of this.alarms) this.loops.push(this.work(queue, alarm));
  }

  async stop(graceMs: number): Promise<void> {
    this.abort.abort();
    clearInterval(this.renewal);
    this.wakeAll();
    const finished = Promise.allSettled([...this.loops, ...[...this.running.values()].map(({ done }) => done)]);
    await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
    const unfinished = [...this.running.values()].map(({ job }) => job);
    if (unfinished.length > 0) await returnJobs(this.options.database.pool, unfinished).catch(() => {});
  }

  private wakeAll(): void {
    for (const { ring } of this.alarms.values()) ring();
  }

  private async work(queue: string, alarm: Alarm): Promise<void> {
    const { database, log } = this.options;
    const held = new Set<Promise<void>>();
    while (!this.abort.signal.aborted) {
      try {
        const room = this.concurrency - held.size;
        const jobs = await claimJobs(database.pool, queue, room, this.leaseSeconds);
        for (const job of jobs) {
          const done = this.runOne(job, alarm).finally(() => {
            this.running.delete(job.id);
            held.delete(done);
          });
          held.add(done);
          this.running.set(job.id, { job, done });
        }
        // Fewer than there was room for: what becomes due from now on is announced, or known by its time.
        if (jobs.length === room) await Promise.race(held);
        else await alarm.wait(await this.idleMs(queue));
      } catch (error) {
        log.error({ err: error, queue }, 'the job queue cannot be read');
        await alarm.wait(1_000);
      }
    }
  }

  private async idleMs(queue: string): Promise<number> {
    const { toNextJob, toNextLeaseEnd } = await readWaits(this.options.database.pool, queue);
    if (toNextLeaseEnd !== null && toNextLeaseEnd <= 0) await this.takeBackLeases();
    return Math.min(Math.max(toNextJob ?? LONGEST_SLEEP_MS, 0), Math.max(toNextLeaseEnd ?? LONGEST_SLEEP_MS, 0), LONGEST_SLEEP_MS);
  }

  private async takeBackLeases(): Promise<void> {
    if ((await returnExpiredLeases(this.options.database.pool)) > 0) this.wakeAll();
  }

  private async runOne(job: ClaimedJob, alarm: Alarm): Promise<void> {
    const { database, log, metrics } = this.options;
    const definition = this.definitions.get(job.kind);
    if (definition === undefined) {
      // A newer process enqueued a kind this one does not know: leave it to that one.
      await postponeJob(database.pool, job, 30, 'this process does not know the kind').catch(() => {});
      alarm.ring();
      return;
    }
    const started = performance.now();
    try {
      await this.attemptJob(definition, job);
      metrics.jobFinished(job.kind, 'done', performance.now() - started);
    } catch (error) {
      if (this.abort.signal.aborted || error instanceof LeaseLost) return;
      metrics.jobFinished(job.kind, 'failed', performance.now() - started);
      await this.retryLater(definition, job, error).catch((cause) =>
        log.error({ err: cause, job: job.kind }, 'a failed job could not be rescheduled'),
      );
      // It may be due before anything that was known of.
      alarm.ring();
    }
  }

  private async attemptJob(definition: JobDefinition, job: ClaimedJob): Promise<void> {
    let completed = false;
    const attempt: JobAttempt = {
      jobId: job.id,
      number: job.attempts,
      isLast: job.attempts > definition.retryAfterSeconds.length,
      signal: this.abort.signal,
      complete: async (tx) => {
        if (!(await deleteJob(tx, job))) throw new LeaseLost();
        if (definition.everySeconds !== undefined) await enqueueJobs(tx, [this.nextRun(definition)]);
        completed = true;
      },
    };
    await definition.run(job.payload, attempt);
    if (!completed) await this.options.database.transaction((tx) => attempt.complete(tx));
  }

  private async retryLater(definition: JobDefinition, job: ClaimedJob, error: unknown): Promise<void> {
    const { database, log } = this.options;
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

  private nextRun({ kind, queue = 'default', everySeconds = 0 }: JobDefinition): NewJob {
    const runAt = new Date(this.options.clock.now().getTime() + everySeconds * 1000);
    return { kind, queue, payload: {}, uniqueKey: `every:${kind}`, runAt };
  }

  /** Renews our leases, and takes back those of crashed processes, also for a runner that is never idle. */
  private async tendLeases(): Promise<void> {
    const { database, log } = this.options;
    const jobs = [...this.running.values()].map(({ job }) => job);
    try {
      if (jobs.length > 0) await renewLeases(database.pool, jobs, this.leaseSeconds);
      await this.takeBackLeases();
    } catch (error) {
      log.warn({ err: error }, 'leases could not be renewed');
    }
  }
}
