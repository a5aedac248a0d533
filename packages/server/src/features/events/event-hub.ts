/**
 * Reads events once per process for all followers. It wakes on NOTIFY, reads settled events, and passes each to the followers of its readers.
 * A follower that falls behind loses no event, because it reads from the database until it has caught up.
 */
import { MarketError } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import type { Notifications } from '../../platform/db/notifications.ts';
import type { EventReader } from '../../platform/events/event-log.ts';
import { EVENTS_CHANNEL } from '../../platform/events/event-repository.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { type EventRow, type Position, readBeyond, readNow } from './repository.ts';

export interface PublishedEvent {
  readonly event: EventRow;
  /** Readers of the event, with its number in feeds that have numbers. */
  readonly readers: ReadonlyMap<EventReader, bigint | null>;
}

export interface Subscription {
  readonly mailbox: Mailbox<PublishedEvent>;
  /** Receives events of these readers only, from now on. */
  listenTo(readers: readonly EventReader[]): void;
  close(): void;
}

export interface EventHub {
  /** Subscribes to these readers. Every event that is not settled when this resolves will be delivered. */
  subscribe(readers: readonly EventReader[]): Promise<Subscription>;
  readonly stopped: boolean;
  /** Stops the hub and wakes all waiting followers, which then see `stopped`. */
  stop(): void;
}

export interface EventHubOptions {
  readonly db: Db;
  readonly notifications: Pick<Notifications, 'on'>;
  readonly log: Logger;
}

const ROWS_PER_READ = 2_000;
const KEPT_PER_FOLLOWER = 256;
/** Delay before the next read while an earlier transaction is still running. Most end at once. */
const UNSETTLED_MS = 15;
/** Delay before a read without NOTIFY, because a lost connection may lose notifications. */
const LOOK_ANYWAY_MS = 5_000;
const AFTER_FAILURE_MS = 500;

export function createEventHub({ db, notifications, log }: EventHubOptions): EventHub {
  const audience = createAudience();
  /** All events up to this position were delivered. Undefined without followers. */
  let position: Position | undefined;
  let starting: Promise<void> | undefined;
  let reading = false;
  let again = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    if (reading) again = true;
    if (reading || stopped || position === undefined) return;
    reading = true;
    let nextMs = LOOK_ANYWAY_MS;
    try {
      do {
        again = false;
        nextMs = await publishFrom(position);
      } while (again && position !== undefined);
    } catch (error) {
      log.warn({ err: error }, 'events could not be read; the next try is soon');
      nextMs = AFTER_FAILURE_MS;
    } finally {
      reading = false;
    }
    clearTimeout(timer);
    if (position !== undefined && !stopped) timer = setTimeout(() => void look(), nextMs).unref();
  }

  /** Delivers the settled events after the position, advances it, and returns the delay before the next read. */
  async function publishFrom(from: Position): Promise<number> {
    const rows = await readBeyond(db, from, ROWS_PER_READ);
    // The position changed because all followers left during the read; new ones may have joined.
    if (position !== from) return 0;
    const settled = rows.filter((row) => row.settled);
    const isFull = rows.length === ROWS_PER_READ;
    for (const [id, [event, ...others]] of Map.groupBy(settled, (row) => row.id)) {
      // Some readers of the last event of a full page may be on the next page.
      if (event === undefined || (isFull && id === rows.at(-1)?.id)) continue;
      audience.publish({ event, readers: new Map([event, ...others].map(({ reader, seq }) => [reader, seq])) });
      position = { xid: event.xid, id };
    }
    if (isFull) again = true;
    return settled.length < rows.length ? UNSETTLED_MS : LOOK_ANYWAY_MS;
  }

  async function start(): Promise<void> {
    try {
      position = await readNow(db);
    } finally {
      starting = undefined;
    }
    void look();
  }

  function rest(): void {
    position = undefined;
    clearTimeout(timer);
  }

  notifications.on(EVENTS_CHANNEL, () => void look());
  return {
    async subscribe(readers) {
      if (stopped) throw new MarketError('unavailable', { message: 'This server is stopping. Connect again.', retryAfterSeconds: 1 });
      const subscription = audience.join(rest);
      subscription.listenTo(readers);
      try {
        if (position === undefined) {
          starting ??= start();
          await starting;
        }
        return subscription;
      } catch (error) {
        subscription.close();
        throw error;
      }
    },
    get stopped() {
      return stopped;
    },
    stop() {
      stopped = true;
      rest();
      audience.wakeAll();
    },
  };
}

interface Audience {
  /** `onEmpty` is called when the last subscriber leaves. */
  join(onEmpty: () => void): Subscription;
  publish(event: PublishedEvent): void;
  wakeAll(): void;
}

function createAudience(): Audience {
  const members = new Set<Mailbox<PublishedEvent>>();
  const byReader = new Map<EventReader, Set<Mailbox<PublishedEvent>>>();

  function forget(mailbox: Mailbox<PublishedEvent>, readers: readonly EventReader[]): void {
    for (const reader of readers) {
      const listeners = byReader.get(reader);
      listeners?.delete(mailbox);
      if (listeners?.size === 0) byReader.delete(reader);
    }
  }

  return {
    join(onEmpty) {
      const mailbox = createMailbox<PublishedEvent>(KEPT_PER_FOLLOWER);
      let listening: readonly EventReader[] = [];
      members.add(mailbox);
      return {
        mailbox,
        listenTo(readers) {
          forget(mailbox, listening);
          listening = [...readers];
          for (const reader of listening) byReader.set(reader, (byReader.get(reader) ?? new Set()).add(mailbox));
        },
        close() {
          if (!members.delete(mailbox)) return;
          forget(mailbox, listening);
          mailbox.wake();
          if (members.size === 0) onEmpty();
        },
      };
    },
    publish(published) {
      const concerned = new Set([...published.readers.keys()].flatMap((reader) => [...(byReader.get(reader) ?? [])]));
      for (const mailbox of concerned) mailbox.put(published);
    },
    wakeAll() {
      for (const mailbox of members) mailbox.wake();
    },
  };
}
