/**
 * The outbox: the transaction that causes an event writes it at its end. With it go its numbers, its readers, the rows of recorders and its
 * entries in the queues of followers. So an event exists exactly if its cause does, and no follower misses one.
 */
import { z } from 'zod';
import type { Database, Tx } from '../db/database.ts';
import { writeLast } from '../db/last-writes.ts';
import { defineJob, type JobDefinition } from '../jobs/job.ts';
import type { EventReader, EventRecorder, NewEvent, StoredEvent } from './event.ts';
import { type AppendedEvent, composeAppend, findEvent } from './event-repository.ts';

export type { EventReader, EventRecorder, NewEvent, StoredEvent };

/** Handles events after their commit, in batches. Effect and queue change in one transaction, so each event is handled exactly once. */
export interface EventFollower {
  /** Name of its queue; unique. */
  readonly name: string;
  readonly types: readonly string[];
  /** Retry schedule of the job for an event on which the follower failed. */
  readonly retryAfterSeconds: readonly number[];
  handle(tx: Tx, events: readonly StoredEvent[]): Promise<void>;
}

/** Adds readers that the writer of an event does not know. */
export interface EventAddresser {
  readonly types: readonly string[];
  readersOf(tx: Tx, event: NewEvent): Promise<readonly EventReader[]>;
}

export interface EventLog {
  /** The events are written at the end of the transaction. */
  append(tx: Tx, events: readonly NewEvent[]): Promise<void>;
  readonly followers: readonly EventFollower[];
  /** Jobs for events on which a follower failed. */
  readonly jobs: readonly JobDefinition[];
}

export interface EventLogParts {
  readonly followers?: readonly EventFollower[];
  readonly recorders?: readonly EventRecorder[];
  readonly addressers?: readonly EventAddresser[];
}

export function createEventLog(
  database: Pick<Database, 'db' | 'transaction'>,
  { followers = [], recorders = [], addressers = [] }: EventLogParts = {},
): EventLog {
  const compose = composeAppend(recorders);

  async function address(tx: Tx, event: NewEvent): Promise<AppendedEvent> {
    const readers = [...(event.readers ?? [])];
    for (const { types, readersOf } of addressers) if (types.includes(event.type)) readers.push(...(await readersOf(tx, event)));
    const concerned = followers.filter(({ types }) => types.includes(event.type));
    return { event: { ...event, readers }, followers: concerned.map(({ name }) => name) };
  }

  async function write(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    const addressed: AppendedEvent[] = [];
    for (const event of events) addressed.push(await address(tx, event));
    await tx.executeQuery(compose(addressed));
  }

  return {
    async append(tx, events) {
      if (events.length > 0) writeLast(tx, compose, events, write);
    },
    followers,
    jobs: followers.map((follower) => failedEventJob(database, follower)),
  };
}

const failedEvent = z.object({ event_id: z.string().regex(/^\d+$/).transform(BigInt) });

function failedEventJob({ db, transaction }: Pick<Database, 'db' | 'transaction'>, follower: EventFollower): JobDefinition {
  return defineJob({
    kind: failedEventKind(follower),
    payload: failedEvent,
    retryAfterSeconds: follower.retryAfterSeconds,
    async run({ event_id }, attempt) {
      const event = await findEvent(db, event_id);
      await transaction(async (tx) => {
        await follower.handle(tx, [event]);
        await attempt.complete(tx);
      });
    },
  });
}

export function failedEventKind({ name }: Pick<EventFollower, 'name'>): string {
  return `event.${name}`;
}
