/**
 * Hands queued events to their followers, many per transaction. Any number of processes may run this, because a lease per follower lets one
 * of them work at a time. The events of a crashed process stay queued.
 */
import { createAlarm } from '../alarm.ts';
import { reachCrashPoint } from '../crash-points.ts';
import type { Database } from '../db/database.ts';
import type { Notifications } from '../db/notifications.ts';
import { enqueueJobs } from '../jobs/job-repository.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type EventFollower, failedEventKind } from './event-log.ts';
import { EVENTS_CHANNEL, findAwaited, takeQueued } from './event-repository.ts';

export interface FollowerLoop {
  start(): void;
  /** Resolves when the current batch has ended. */
  stop(): Promise<void>;
}

export interface FollowerLoopOptions {
  readonly database: Database;
  readonly notifications: Notifications;
  readonly log: Logger;
  readonly followers: readonly EventFollower[];
}

const MOST_AT_ONCE = 500;
/** Waits this long to collect events that happen together. */
const GATHER_MS = 10;
/** Also checks without a notification, because another process may have crashed with a batch. */
const LONGEST_SLEEP_MS = 15_000;
const AFTER_FAILURE_MS = 1_000;

export function createFollowerLoop({ database, notifications, log, followers }: FollowerLoopOptions): FollowerLoop {
  const alarm = createAlarm();
  const names = followers.map(({ name }) => name);
  let stopped = false;
  let looping: Promise<void> = Promise.resolve();

  /** Returns the number of handled events. */
  async function handleNext(follower: EventFollower, limit: number): Promise<number> {
    return await database.transaction(async (tx) => {
      const events = await takeQueued(tx, follower.name, limit);
      if (events.length === 0) return 0;
      await follower.handle(tx, events);
      reachCrashPoint('event.before_follower_commit');
      return events.length;
    });
  }

  /** Turns the failed event into a job, so that it no longer holds up the queue. */
  async function setAside(follower: EventFollower): Promise<void> {
    await database.transaction(async (tx) => {
      const [event] = await takeQueued(tx, follower.name, 1);
      if (event === undefined) return;
      await enqueueJobs(tx, [{ kind: failedEventKind(follower), payload: { event_id: String(event.id) } }]);
    });
  }

  /** After a failed batch, handles events one by one to find the one that fails. */
  async function handleSingly(follower: EventFollower): Promise<void> {
    for (let done = 0; done < MOST_AT_ONCE && !stopped; done += 1) {
      try {
        if ((await handleNext(follower, 1)) === 0) return;
      } catch (error) {
        log.warn({ err: error, follower: follower.name }, 'an event could not be handled and becomes a job');
        await setAside(follower);
      }
    }
  }

  async function catchUp(follower: EventFollower): Promise<void> {
    for (let handled = MOST_AT_ONCE; handled === MOST_AT_ONCE && !stopped; ) {
      try {
        handled = await handleNext(follower, MOST_AT_ONCE);
      } catch (error) {
        log.warn({ err: error, follower: follower.name }, 'a batch of events failed and is handled one by one');
        await handleSingly(follower);
      }
    }
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      let sleepMs = LONGEST_SLEEP_MS;
      try {
        const awaited = await findAwaited(database.db, names);
        for (const follower of followers) if (awaited.includes(follower.name)) await catchUp(follower);
      } catch (error) {
        if (!stopped) log.error({ err: error }, 'events cannot be handed to their followers');
        sleepMs = AFTER_FAILURE_MS;
      }
      if (stopped) return;
      await alarm.wait(sleepMs);
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  }

  return {
    start() {
      notifications.on(EVENTS_CHANNEL, alarm.wake);
      looping = loop();
    },
    async stop() {
      stopped = true;
      alarm.wake();
      await looping;
    },
  };
}
