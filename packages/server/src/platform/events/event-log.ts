/**
 * The outbox: an event is written at the end of the transaction that causes it, with its numbers, its readers, what recorders
 * keep of it, and one job per subscriber. So an event exists exactly when its cause does, and each subscriber hears of it at
 * least once, whatever crashes in between.
 */
import { z } from 'zod';
import { type Db, type Tx, writeLast } from '../db/database.ts';
import { defineJob, type JobAttempt, type JobDefinition } from '../jobs/job.ts';
import { enqueueJobs } from '../jobs/job-repository.ts';
import type { EventReader, NewEvent, RecordedEvent, StoredEvent } from './event.ts';
import { insertEvents } from './event-repository.ts';

export type { EventReader, NewEvent, RecordedEvent, StoredEvent };

export interface EventSubscriber {
  /** Names the subscriber's jobs; unique. */
  readonly name: string;
  readonly types: readonly string[];
  readonly retryAfterSeconds: readonly number[];
  handle(event: StoredEvent, attempt: JobAttempt): Promise<void>;
}

/** Writes what must exist as soon as the event does. Other transactions wait for its locks: insert, do not look around. */
export interface EventRecorder {
  readonly types: readonly string[];
  record(tx: Tx, events: readonly RecordedEvent[]): Promise<void>;
}

/** Knows who else may read events whose writers do not know it. */
export interface EventAddresser {
  readonly types: readonly string[];
  readersOf(tx: Tx, event: NewEvent): Promise<readonly EventReader[]>;
}

export interface EventLog {
  /** The events are written when everything else in the transaction is. */
  append(tx: Tx, events: readonly NewEvent[]): Promise<void>;
  readonly jobs: readonly JobDefinition[];
}

const eventJobPayload = z.object({ event_id: z.string().regex(/^\d+$/).transform(BigInt) });

export function createEventLog(
  db: Db,
  subscribers: readonly EventSubscriber[],
  recorders: readonly EventRecorder[],
  addressers: readonly EventAddresser[] = [],
): EventLog {
  const appended = new WeakMap<Tx, NewEvent[]>();

  async function address(tx: Tx, event: NewEvent): Promise<NewEvent> {
    const readers = [...(event.readers ?? [])];
    for (const { types, readersOf } of addressers) if (types.includes(event.type)) readers.push(...(await readersOf(tx, event)));
    return { ...event, readers };
  }

  async function write(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    const addressed: NewEvent[] = [];
    for (const event of events) addressed.push(await address(tx, event));
    const recorded = await insertEvents(tx, addressed);
    for (const recorder of recorders) {
      const concerned = recorded.filter(({ type }) => recorder.types.includes(type));
      if (concerned.length > 0) await recorder.record(tx, concerned);
    }
    await enqueueJobs(
      tx,
      recorded.flatMap(({ id, type }) =>
        subscribers
          .filter((subscriber) => subscriber.types.includes(type))
          .map((subscriber) => ({
            kind: jobKind(subscriber),
            payload: { event_id: String(id) },
            uniqueKey: `${jobKind(subscriber)}:${id}`,
          })),
      ),
    );
  }

  return {
    async append(tx, events) {
      if (events.length === 0) return;
      const earlier = appended.get(tx);
      if (earlier !== undefined) return void earlier.push(...events);
      const all = [...events];
      writeLast(tx, () => write(tx, all));
      appended.set(tx, all);
    },
    jobs: subscribers.map((subscriber) => subscriptionJob(db, subscriber)),
  };
}

function subscriptionJob(db: Db, subscriber: EventSubscriber): JobDefinition {
  return defineJob({
    kind: jobKind(subscriber),
    payload: eventJobPayload,
    retryAfterSeconds: subscriber.retryAfterSeconds,
    async run({ event_id }, attempt) {
      const row = await db.selectFrom('events').selectAll().where('id', '=', event_id).executeTakeFirstOrThrow();
      await subscriber.handle(
        { ...row, data: row.data as Record<string, unknown>, context: row.context as Record<string, unknown> },
        attempt,
      );
    },
  });
}

function jobKind(subscriber: EventSubscriber): string {
  return `event.${subscriber.name}`;
}
