/**
 * A followed feed that returns events only while its caller may read them. After a change of the caller's credentials in any process, the
 * caller is checked again before the next event.
 */
import { type Caller, principalOf } from '../../access/caller.ts';
import { type CredentialWatch, credentialSubjects } from '../../access/credential-changes.ts';
import type { EventsContext } from './events-context.ts';
import { type FeedQuery, feedOf } from './feed.ts';
import { type Batch, type FeedFollower, followFeed } from './follow-feed.ts';

export interface FeedRequest {
  readonly clientAddress: string;
  /** Called after the watch over credentials has begun. Throws when the caller may not open a stream. */
  readonly admit: () => Promise<AdmittedReader>;
  /** How long an expired credential may still read, in addition to one wait. */
  readonly recheckMs: number;
}

export interface AdmittedReader {
  readonly caller: Caller;
  readonly query: FeedQuery;
  /** Resolves the caller again; throws when it may not go on. */
  readonly recheck: () => Promise<Caller>;
}

export interface GuardedFeed {
  /** Cursor at which the feed begins. */
  readonly after: string;
  /** Same as `FeedFollower.next`, but throws when the caller may not go on. */
  next(idleMs: number): Promise<Batch | undefined>;
  close(): void;
}

/** Opens a guarded feed, which occupies a stream slot until it is closed. */
export async function openGuardedFeed(context: EventsContext, request: FeedRequest): Promise<GuardedFeed> {
  let follower: FeedFollower | undefined;
  const watch = context.credentials.watch(() => follower?.interrupt());
  try {
    const reader = await request.admit();
    const { clientAddress } = request;
    const release = context.slots.take(principalOf(reader.caller, clientAddress), clientAddress);
    try {
      const opened = await openFeed(context, reader);
      ({ follower } = opened);
      watch.follow([...credentialSubjects(reader.caller), ...follower.readers]);
      return guard(context, { ...request, ...reader, ...opened, watch, release });
    } catch (error) {
      release();
      throw error;
    }
  } catch (error) {
    watch.close();
    throw error;
  }
}

interface Opened extends Pick<FeedRequest, 'recheckMs'>, AdmittedReader {
  readonly follower: FeedFollower;
  readonly after: string;
  readonly watch: CredentialWatch;
  readonly release: () => void;
}

function guard({ database: { db } }: EventsContext, { follower, after, watch, release, recheck, recheckMs, query }: Opened): GuardedFeed {
  let cursor = after;
  let checkedAt = performance.now();

  /** Continues with the feed that the caller may read now. Events that came before the check are read again with the current rights. */
  async function renew(from: string): Promise<void> {
    const caller = await recheck();
    checkedAt = performance.now();
    follower.changeTo(await feedOf(db, caller, query.agent_id), from);
    watch.follow([...credentialSubjects(caller), ...follower.readers]);
  }

  return {
    after,
    async next(idleMs) {
      for (;;) {
        const batch = await follower.next(idleMs);
        if (batch === undefined) return undefined;
        const isEmpty = batch.events.length === 0;
        const isDue = watch.take() || performance.now() - checkedAt >= recheckMs;
        if (isDue) await renew(isEmpty ? batch.cursor : cursor);
        if (isDue && !isEmpty) continue;
        cursor = batch.cursor;
        return batch;
      }
    },
    close() {
      watch.close();
      follower.close();
      release();
    },
  };
}

async function openFeed(
  { database: { db }, hub }: EventsContext,
  { caller, query: { after, types, order_id: orderId, agent_id: agentId } }: AdmittedReader,
): Promise<Pick<Opened, 'after' | 'follower'>> {
  const feed = await feedOf(db, caller, agentId);
  if (after !== undefined) await feed.requirePosition(db, after);
  const from = after ?? (await feed.now(db));
  return { after: from, follower: await followFeed({ db, hub, feed, after: from, filters: { types, orderId } }) };
}
