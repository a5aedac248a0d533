/**
 * The outbox: the transaction that causes an event writes it at its end, with its numbers, its readers, the rows of recorders
 * and one job per subscriber. So an event exists exactly when its cause does, and each subscriber receives it at least once,
 * even after a crash.
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

/** Writes rows that must exist together with the event. Other transactions wait for its locks, so it should only insert. */
export interface EventRecorder {
  readonly types: readonly string[];
  record(tx: Tx, events: readonly RecordedEvent[]): Promise<void>;
}

/** Adds readers that the writer of an event does not know. */
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
