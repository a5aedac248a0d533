/** The SQL of writing events: their numbers, themselves, and who may read them. */
import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { EventReader, NewEvent, RecordedEvent } from './event.ts';

/** Notified when a transaction with readable events has committed. */
export const EVENTS_CHANNEL = 'market_events';

export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<RecordedEvent[]> {
  const addressed = events.map((event) => ({ event, readers: readersOf(event) }));
  const numbers = await takeNumbers(tx, addressed.flatMap(({ readers }) => readers).filter(isNumbered));
  const numbered = addressed.map(({ event, readers }) => ({
    event,
    readers: readers.map((reader) => ({ reader, seq: numbers.get(reader)?.shift() ?? null })),
  }));
  const rows = await tx
    .insertInto('events')
    .values(
      numbered.map(({ event, readers }) => ({
        type: event.type,
        subjectId: event.subjectId,
        agentId: event.agentId ?? null,
        agentSeq: readers.find(({ reader }) => reader === `agent:${event.agentId}`)?.seq ?? null,
        data: JSON.stringify(event.data),
        context: JSON.stringify(event.context ?? {}),
      })),
    )
    .returning(['id', 'agentSeq', 'createdAt'])
    .execute();
  await insertReaders(
    tx,
    rows.flatMap(({ id }, index) => (numbered[index]?.readers ?? []).map((read) => ({ event_id: id, ...read }))),
  );
  return rows.map((row, index) => recorded(events[index], row));
}

function recorded(event: NewEvent | undefined, row: Pick<RecordedEvent, 'id' | 'agentSeq' | 'createdAt'>): RecordedEvent {
  if (event === undefined) throw new Error('more events were written than given');
  const { type, subjectId, data, agentId, context } = event;
  return { ...row, type, subjectId, data, agentId: agentId ?? null, context: context ?? {} };
}

function readersOf({ agentId, readers }: NewEvent): readonly EventReader[] {
  return [...new Set<EventReader>([...(agentId === undefined ? [] : [`agent:${agentId}` as const]), ...(readers ?? [])])];
}

function isNumbered(reader: EventReader): boolean {
  return reader.startsWith('agent:');
}

/** The next numbers of each feed. Feeds are always locked in the same order, so that two transactions never wait for each other. */
async function takeNumbers(tx: Tx, readers: readonly EventReader[]): Promise<Map<EventReader, bigint[]>> {
  const wanted = Map.groupBy(readers, (reader) => reader);
  if (wanted.size === 0) return new Map();
  const asked = [...wanted].map(([reader, of]) => ({ reader, count: of.length }));
  const { rows } = await sql<{ reader: EventReader; last: bigint }>`
    insert into event_counters as c (reader, last_seq)
    select reader, count from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as asked (reader text, count bigint)
    order by reader collate "C"
    on conflict (reader) do update set last_seq = c.last_seq + excluded.last_seq
    returning reader, last_seq as last`.execute(tx);
  return new Map(
    rows.map(({ reader, last }) => {
      const count = wanted.get(reader)?.length ?? 0;
      return [reader, Array.from({ length: count }, (_, index) => last - BigInt(count - 1 - index))];
    }),
  );
}

interface NewReader {
  readonly event_id: bigint;
  readonly reader: EventReader;
  readonly seq: bigint | null;
}

async function insertReaders(tx: Tx, readers: readonly NewReader[]): Promise<void> {
  if (readers.length === 0) return;
  const rows = readers.map(({ event_id, reader, seq }) => ({ event_id: String(event_id), reader, seq: seq === null ? null : String(seq) }));
  await sql`
    with told as (
      insert into event_readers (reader, event_id, seq)
      select reader, event_id, seq from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (reader text, event_id bigint, seq bigint))
    select pg_notify(${EVENTS_CHANNEL}, '')`.execute(tx);
}
