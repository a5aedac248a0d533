/**
 * Follows one feed from a position: reads the database until it has caught up, then receives events from the hub. Positions decide, so
 * every event comes once and in order from either source.
 */
import type { Db } from '../../platform/db/database.ts';
import type { EventReader } from '../../platform/events/event-log.ts';
import type { EventHub } from './event-hub.ts';
import type { Feed, FeedEvent } from './feed.ts';
import type { EventFilters } from './repository.ts';

export interface Batch {
  /** Empty if no event came within the wait. */
  readonly events: readonly FeedEvent[];
  /** Cursor after the batch. */
  readonly cursor: string;
}

export interface FeedFollower {
  /** The next events, at the latest after `idleMs` or an interruption; undefined when the server stops or the follower was closed. */
  next(idleMs: number): Promise<Batch | undefined>;
  /** Ends the wait of `next`. */
  interrupt(): void;
  /** Switches to the feed that the caller may read now, going back to `after` if given. */
  changeTo(feed: Feed, after?: string): void;
  readonly readers: readonly EventReader[];
  close(): void;
}

export interface FollowOptions {
  readonly db: Db;
  readonly hub: EventHub;
  readonly feed: Feed;
  readonly after: string;
  readonly filters: EventFilters;
}

const EVENTS_PER_BATCH = 100;
const ALL: EventFilters = { types: undefined, orderId: undefined };

export async function followFeed({ db, hub, filters, ...from }: FollowOptions): Promise<FeedFollower> {
  let { feed, after: cursor } = from;
  let behind = true;
  let closed = false;
  let interrupted = false;
  const { mailbox, listenTo, close } = await hub.subscribe(feed.readers);

  async function catchUp(): Promise<readonly FeedEvent[]> {
    // Empty the mailbox first: an event that arrives during the read is then in the result or still in the mailbox.
    mailbox.take();
    // Read all events, because the position must also move past filtered ones.
    const events = await feed.read(db, cursor, ALL, EVENTS_PER_BATCH);
    behind = events.length === EVENTS_PER_BATCH;
    cursor = events.at(-1)?.cursor ?? cursor;
    return events.filter((event) => isWanted(event, filters));
  }

  function hearOf(): readonly FeedEvent[] {
    const published = mailbox.take();
    const events: FeedEvent[] = [];
    for (const one of published ?? []) {
      const event = feed.next(cursor, one);
      if (event === 'gap') {
        behind = true;
        return events;
      }
      if (event === undefined) continue;
      cursor = event.cursor;
      if (isWanted(event, filters)) events.push(event);
    }
    if (published === undefined) behind = true;
    return events;
  }

  return {
    async next(idleMs) {
      const until = performance.now() + idleMs;
      const ended = () => closed || hub.stopped;
      while (!ended()) {
        const events = behind ? await catchUp() : hearOf();
        const leftMs = until - performance.now();
        if (events.length > 0 || leftMs <= 0 || interrupted) {
          interrupted = false;
          return { events, cursor };
        }
        if (!behind && !ended()) await mailbox.wait(leftMs);
      }
      return undefined;
    },
    interrupt() {
      interrupted = true;
      mailbox.wake();
    },
    get readers() {
      return feed.readers;
    },
    changeTo(changed, after = cursor) {
      feed = changed;
      cursor = after;
      listenTo(feed.readers);
      behind = true;
    },
    close() {
      closed = true;
      close();
    },
  };
}

function isWanted(event: FeedEvent, { types, orderId }: EventFilters): boolean {
  return (types === undefined || types.includes(event.type)) && (orderId === undefined || event.orderId === orderId);
}
