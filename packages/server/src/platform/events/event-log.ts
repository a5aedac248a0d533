/**
 * The outbox: an event is appended in the transaction that causes it, together with one job per subscriber. So an event
 * exists exactly when its cause does, and each subscriber hears of it at least once, whatever crashes in between.
 */
import { z } from 'zod';
import type { Db, Tx } from '../db/database.ts';
import { defineJob, type JobAttempt, type JobDefinition } from '../jobs/job.ts';
import { enqueueJobs } from '../jobs/job-repository.ts';

export interface NewEvent {
  /** `agent.registered`, `order.paid`, … */
  readonly type: string;
  /** Id of the record it is about. */
  readonly subjectId: string;
  /** What anybody concerned may read. */
  readonly data: Record<string, unknown>;
  /** The agent it concerns, who may hear of it by webhook. */
  readonly agentId?: string;
  /** What readers inside the house need beside the public data. */
  readonly context?: Record<string, unknown>;
}

export interface StoredEvent extends Pick<NewEvent, 'type' | 'subjectId' | 'data'> {
  readonly id: bigint;
  readonly agentId: string | null;
  readonly context: Record<string, unknown>;
  readonly createdAt: Date;
}

export interface EventSubscriber {
  /** Names the subscriber's jobs; unique. */
  readonly name: string;
  readonly types: readonly string[];
  readonly retryAfterSeconds: readonly number[];
  handle(event: StoredEvent, attempt: JobAttempt): Promise<void>;
}

export interface EventLog {
  append(tx: Tx, events: readonly NewEvent[]): Promise<void>;
  readonly jobs: readonly JobDefinition[];
}

const eventJobPayload = z.object({ event_id: z.string().regex(/^\d+$/).transform(BigInt) });

export function createEventLog(db: Db, subscribers: readonly EventSubscriber[]): EventLog {
  return {
    async append(tx, events) {
      if (events.length === 0) return;
      const rows = await tx
        .insertInto('events')
        .values(
          events.map(({ type, subjectId, agentId, data, context }) => ({
            type,
            subjectId,
            agentId: agentId ?? null,
            data: JSON.stringify(data),
            context: JSON.stringify(context ?? {}),
          })),
        )
        .returning(['id', 'type'])
        .execute();
      await enqueueJobs(
        tx,
        rows.flatMap(({ id, type }) =>
          subscribers
            .filter((subscriber) => subscriber.types.includes(type))
            .map((subscriber) => ({
              kind: jobKind(subscriber),
              payload: { event_id: String(id) },
              uniqueKey: `${jobKind(subscriber)}:${id}`,
            })),
        ),
      );
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
