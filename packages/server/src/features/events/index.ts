/** Event feeds: reading events page by page from any position, or as a stream. */
import type { Call, HandlersOf } from '../../access/call.ts';
import { principalOf } from '../../access/caller.ts';
import { credentialSubjects } from '../../access/credential-changes.ts';
import type { EventsContext } from './events-context.ts';
import { type FeedEvent, feedOf } from './feed.ts';
import { type FollowOptions, followFeed } from './follow-feed.ts';
import { presentEvent } from './present.ts';

export function eventHandlers(context: EventsContext): HandlersOf<'events'> {
  const { db } = context.database;
  return {
    async list({ after, limit, types, order_id: orderId, agent_id: agentId, wait }, call) {
      let feed = await feedOf(db, call.caller, agentId);
      const from = after ?? feed.start;
      if (after !== undefined) await feed.requirePosition(db, after);
      const filters = { types, orderId };
      const read = () => feed.read(db, from, filters, limit + 1);
      let found = await read();
      if (found.length === 0 && wait > 0) {
        await waitForEvent(context, call, { db, hub: context.hub, feed, after: from, filters }, wait * 1000);
        // The credential may have ended while the read waited.
        feed = await feedOf(db, await call.recheck(), agentId);
        found = await read();
      }
      return answerOf(found, limit, from, await feed.lastNumber(db));
    },
  };
}

/** Waits until an event comes, the time is over, or a credential of the caller changes. */
async function waitForEvent(
  { slots, credentials }: EventsContext,
  { caller, clientAddress }: Call,
  options: FollowOptions,
  milliseconds: number,
): Promise<void> {
  const release = slots.take(principalOf(caller, clientAddress), clientAddress);
  try {
    const follower = await followFeed(options);
    const watch = credentials.watch(follower.interrupt);
    watch.follow([...credentialSubjects(caller), ...options.feed.readers]);
    await follower.next(milliseconds).finally(() => {
      watch.close();
      follower.close();
    });
  } finally {
    release();
  }
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

export { createEventHub } from './event-hub.ts';
export type { EventsContext } from './events-context.ts';
export type { FeedQuery } from './feed.ts';
export { type GuardedFeed, openGuardedFeed } from './guarded-feed.ts';
export { presentEvent } from './present.ts';
export { adoptRestoredEvents } from './repository.ts';
export { createStreamSlots } from './stream-slots.ts';
