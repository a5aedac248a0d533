/**
 * Runs the jobs of the jobs table: claims due rows with a lease, runs them, and retries by the job's own schedule. Any number of processes
 * may have a runner; when a process dies, its leases expire and another process continues.
 */
import { createAlarm } from '../alarm.ts';
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
  deleteJob,
  type EndedJob,
  enqueueJobs,
  exchangeJobs,
  JOBS_CHANNEL,
  type NewJob,
  postponeJob,
  renewLeases,
  repeatJob,
  returnExpiredLeases,
  returnJobs,
} from './job-repository.ts';

export interface JobRunner {
  start(): Promise<void>;
  /** Stops claiming, lets running jobs finish for a while, and returns the others to the queue. */
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

/** Also wakes up without a notification, because some are lost while the listener reconnects. */
const LONGEST_SLEEP_MS = 5_000;

const AFTER_FAILURE_MS = 1_000;
/** Delay before ended jobs are exchanged. None for single jobs: until the exchange, work with a unique key cannot be enqueued again. */
const GATHER_MS = 0;
const GATHER_RECURRING_MS = 150;

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
  private readonly queues: readonly string[];
  private readonly alarm = createAlarm();
  private readonly running = new Map<bigint, { queue: string; job: ClaimedJob; done: Promise<void> }>();
  /** Finished jobs that the next exchange deletes or reschedules. */
  private ended: EndedJob[] = [];
  private readonly abort = new AbortController();
  private loop: Promise<void> = Promise.resolve();
  private renewal: NodeJS.Timeout | undefined;
  private gathering: { readonly timer: NodeJS.Timeout; readonly at: number } | undefined;

  constructor(options: JobRunnerOptions) {
    this.options = options;
    this.concurrency = options.concurrencyPerQueue ?? 10;
    this.leaseSeconds = options.leaseSeconds ?? 30;
    this.definitions = new Map(options.definitions.map((definition) => [definition.kind, definition]));
    this.queues = [...new Set(options.definitions.map(({ queue = 'default' }) => queue))];
  }

  async start(): Promise<void> {
    const { database, notifications, definitions } = this.options;
    const recurring = definitions.filter(({ everySeconds }) => everySeconds !== undefined);
    await enqueueJobs(
      database.db,
      recurring.map((definition) => this.nextRun(definition)),
    );
    // A notification names its queue; after a reconnect the queue is unknown.
    notifications.on(JOBS_CHANNEL, (queue) => {
      if (!queue || this.queues.includes(queue)) this.alarm.wake();
    });
    // Moving the market clock makes waiting jobs due.
    notifications.on(CLOCK_CHANNEL, this.alarm.wake);
    this.renewal = setInterval(() => void this.tendLeases(), (this.leaseSeconds * 1000) / 3);
    this.loop = this.work();
  }

  async stop(graceMs: number): Promise<void> {
    this.abort.abort();
    clearInterval(this.renewal);
    clearTimeout(this.gathering?.timer);
    this.alarm.wake();
    const finished = Promise.allSettled([this.loop, ...[...this.running.values()].map(({ done }) => done)]);
    await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
    const { pool } = this.options.database;
    const unfinished = [...this.running.values()].map(({ job }) => job);
    if (unfinished.length > 0) await returnJobs(pool, unfinished).catch(() => {});
    if (this.ended.length > 0) await exchangeJobs(pool, { ended: this.ended, room: new Map(), leaseSeconds: 0 }).catch(() => {});
  }

  private async work(): Promise<void> {
    const { log } = this.options;
    while (!this.abort.signal.aborted) {
      try {
        await this.alarm.wait(await this.exchange());
      } catch (error) {
        log.error({ err: error }, 'the job queue cannot be read');
        await this.alarm.wait(AFTER_FAILURE_MS);
      }
    }
  }

  /** Returns the milliseconds until the next check. A job that ends wakes the loop earlier. */
  private async exchange(): Promise<number> {
    const ended = this.ended;
    this.ended = [];
    try {
      const { jobs, toNextJob, toNextRepeat, toNextLeaseEnd } = await exchangeJobs(this.options.database.pool, {
        ended,
        room: this.readRoom(),
        leaseSeconds: this.leaseSeconds,
      });
      for (const job of jobs) this.begin(job.queue, job);
      if (toNextLeaseEnd !== null && toNextLeaseEnd <= 0) await this.takeBackLeases();
      const waits = [toNextJob, toNextRepeat, toNextLeaseEnd].map((ms) => ms ?? LONGEST_SLEEP_MS);
      // A timer may fire early and find no job due, so add a millisecond. The database measures these times, not our clock.
      return 1 + Math.max(0, Math.min(...waits, LONGEST_SLEEP_MS));
    } catch (error) {
      this.ended.push(...ended);
      throw error;
    }
  }

  private readRoom(): Map<string, number> {
    const running = Map.groupBy(this.running.values(), ({ queue }) => queue);
    const room = this.queues.map((queue) => [queue, this.concurrency - (running.get(queue)?.length ?? 0)] as const);
    return new Map(room.filter(([, free]) => free > 0));
  }

  private begin(queue: string, job: ClaimedJob): void {
    const done = this.runOne(job).finally(() => {
      const wasFull = !this.readRoom().has(queue);
      this.running.delete(job.id);
      if (wasFull) this.alarm.wake();
      else this.wakeIn(this.definitions.get(job.kind)?.everySeconds === undefined ? GATHER_MS : GATHER_RECURRING_MS);
    });
    this.running.set(job.id, { queue, job, done });
  }

  /** Waits, so that jobs ending at about the same time share an exchange. */
  private wakeIn(ms: number): void {
    if (this.gathering !== undefined && this.gathering.at <= performance.now() + ms) return;
    clearTimeout(this.gathering?.timer);
    const timer = setTimeout(() => {
      this.gathering = undefined;
      this.alarm.wake();
    }, ms);
    this.gathering = { timer, at: performance.now() + ms };
  }

  private async takeBackLeases(): Promise<void> {
    if ((await returnExpiredLeases(this.options.database.pool)) > 0) this.alarm.wake();
  }

  private async runOne(job: ClaimedJob): Promise<void> {
    const { database, log, metrics } = this.options;
    const definition = this.definitions.get(job.kind);
    if (definition === undefined) {
      // A newer process enqueued a kind that this process does not know: leave the job to that process.
      await postponeJob(database.pool, job, 30, 'this process does not know the kind').catch(() => {});
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
        const again = this.repetition(definition);
        const isOurs = again === undefined ? await deleteJob(tx, job) : await repeatJob(tx, job, again);
        if (!isOurs) throw new LeaseLost();
        completed = true;
      },
    };
    await definition.run(job.payload, attempt);
    if (!completed) this.ended.push({ job, again: this.repetition(definition) });
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

  private repetition(definition: JobDefinition): EndedJob['again'] {
    return definition.everySeconds === undefined ? undefined : this.nextRun(definition);
  }

  private nextRun({ kind, queue = 'default', everySeconds = 1 }: JobDefinition): NewJob {
    const everyMs = everySeconds * 1000;
    const phaseMs = phaseOf(kind, everySeconds) * 1000;
    const runAt = new Date((Math.floor((this.options.clock.now().getTime() - phaseMs) / everyMs) + 1) * everyMs + phaseMs);
    return { kind, queue, payload: {}, uniqueKey: `every:${kind}`, runAt };
  }

  /** Renews the leases of running jobs. `exchange` takes back the leases of crashed processes. */
  private async tendLeases(): Promise<void> {
    const { database, log } = this.options;
    const jobs = [...this.running.values()].map(({ job }) => job);
    try {
      if (jobs.length > 0) await renewLeases(database.pool, jobs, this.leaseSeconds);
    } catch (error) {
      log.warn({ err: error }, 'leases could not be renewed');
    }
  }
}

/**
 * Frequent jobs run at the same moment, so that one exchange serves them; rare ones get phases of their own, so that they do not all run at
 * once.
 */
const TICK_SECONDS = 3;
const SELDOM_SECONDS = 30;

function phaseOf(kind: string, everySeconds: number): number {
  if (everySeconds < SELDOM_SECONDS) return 0;
  const sum = [...kind].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 1_000_003, 0);
  return (sum % Math.floor(everySeconds / TICK_SECONDS)) * TICK_SECONDS;
}
