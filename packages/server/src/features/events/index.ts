/** Reading events: page by page from any position, or as a stream. */
import type { HandlersOf } from '../../access/call.ts';
import { type Caller, principalOf } from '../../access/caller.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EventHub } from './event-hub.ts';
import { type FeedEvent, feedOf } from './feed.ts';
import { type FollowOptions, followFeed } from './follow-feed.ts';
import { presentEvent } from './present.ts';
import type { StreamPlaces } from './stream-places.ts';

export interface EventsContext {
  readonly database: Database;
  readonly hub: EventHub;
  /** A waiting read holds a place, like an open stream. */
  readonly places: StreamPlaces;
}

export function eventHandlers(context: EventsContext): HandlersOf<'events'> {
  const { db } = context.database;
  return {
    async list({ after, limit, types, order_id: orderId, agent_id: agentId, wait }, { caller, clientAddress }) {
      const feed = await feedOf(db, caller, agentId);
      const from = after ?? feed.start;
      if (after !== undefined) await feed.requirePlace(db, after);
      const filters = { types, orderId };
      const read = () => feed.read(db, from, filters, limit + 1);
      let found = await read();
      if (found.length === 0 && wait > 0) {
        const place = context.places.take(principalOf(caller, clientAddress), clientAddress);
        await waitForEvent({ db, hub: context.hub, feed, after: from, filters }, wait * 1000).finally(place);
        found = await read();
      }
      return answerOf(found, limit, from, await feed.lastNumber(db));
    },
  };
}

async function waitForEvent(options: FollowOptions, milliseconds: number): Promise<void> {
  const follower = await followFeed(options);
  await follower.next(milliseconds).finally(follower.close);
}

function answerOf(found: readonly FeedEvent[], limit: number, from: string, lastNumber: bigint | null) {
  const shown = found.slice(0, limit);
  return {
    data: shown.map(presentEvent),
    next_after: shown.at(-1)?.cursor ?? from,
    has_more: found.length > limit,
    last_seq: lastNumber === null ? null : Number(lastNumber),
  };
}

export interface FeedWish {
  readonly after?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly order_id?: string | undefined;
  readonly agent_id?: string | undefined;
}

/** The caller's feed, followed from a place or from now on. */
export async function openFeed(
  { database: { db }, hub }: EventsContext,
  caller: Caller,
  { after, types, order_id: orderId, agent_id: agentId }: FeedWish,
): Promise<{ readonly after: string; readonly follower: Awaited<ReturnType<typeof followFeed>> }> {
  const feed = await feedOf(db, caller, agentId);
  if (after !== undefined) await feed.requirePlace(db, after);
  const from = after ?? (await feed.now(db));
  return { after: from, follower: await followFeed({ db, hub, feed, after: from, filters: { types, orderId } }) };
}

export { createEventHub, type EventHub } from './event-hub.ts';
export { feedOf } from './feed.ts';
export type { FeedFollower } from './follow-feed.ts';
export { presentEvent } from './present.ts';
export { adoptRestoredEvents } from './repository.ts';
export { createStreamPlaces, type StreamPlaces } from './stream-places.ts';
