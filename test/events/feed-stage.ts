/** A log, a hub and followers on their own database, without a server. */
import { createEventHub, type EventHub } from '../../packages/server/src/features/events/event-hub.ts';
import { combinedFeed, type Feed, numberedFeed } from '../../packages/server/src/features/events/feed.ts';
import { type FeedFollower, followFeed } from '../../packages/server/src/features/events/follow-feed.ts';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { writeLast } from '../../packages/server/src/platform/db/last-writes.ts';
import { listenForNotifications } from '../../packages/server/src/platform/db/notifications.ts';
import { createEventLog, type EventReader } from '../../packages/server/src/platform/events/event-log.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { createTestDatabase } from '../harness/database.ts';

export interface FeedStage {
  readonly database: Database;
  readonly hub: EventHub;
  /** Appends one event; resolves when it is committed. `hold` runs after the event is written, and delays the commit. */
  append(name: string, readers: readonly EventReader[], hold?: () => Promise<void>): Promise<void>;
  follow(feed: Feed, after: string): Promise<FeedFollower>;
  close(): Promise<void>;
}

export const all = { types: undefined, orderId: undefined };
export const ofAgent = numberedFeed('agent:a');
export const ofPerson = combinedFeed(['user:u', 'wallet:w', 'agent:a']);

export async function openFeedStage(): Promise<FeedStage> {
  const testDatabase = await createTestDatabase();
  const database = openDatabase({ connection: testDatabase.connection, poolSize: 20, onError: () => undefined });
  const notifications = await listenForNotifications(testDatabase.connection, () => undefined);
  const hub = createEventHub({ db: database.db, notifications, log: createLogger({ level: 'silent', pretty: false }) });
  return {
    database,
    hub,
    async append(name, readers, hold) {
      const log = createEventLog(database);
      await database.transaction(async (tx) => {
        await log.append(tx, [{ type: 'test.happened', subjectId: name, readers, data: { name } }]);
        if (hold === undefined) return;
        writeLast(tx, log, [hold], async () => {
          // A query with a result sends the deferred statements.
          await tx.selectFrom('events').select('id').limit(1).execute();
          await hold();
        });
      });
    },
    follow: (feed, after) => followFeed({ db: database.db, hub, feed, after, filters: all }),
    async close() {
      hub.stop();
      await notifications.close();
      await database.close();
      await testDatabase.drop();
    },
  };
}

/** The names of the next events: `count` of them, or fewer if none comes for a while. */
export async function namesOf(follower: FeedFollower, count: number, patienceMs = 3_000): Promise<string[]> {
  const names: string[] = [];
  while (names.length < count) {
    const batch = await follower.next(patienceMs);
    if (batch === undefined || batch.events.length === 0) break;
    names.push(...batch.events.map(({ subjectId }) => subjectId));
  }
  return names;
}
