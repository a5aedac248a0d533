/**
 * A followed feed that gives out events only while its caller may read them. A change of the caller's credentials, in any process, is
 * checked before the next event is given out.
 */
import { type Caller, principalOf } from '../../access/caller.ts';
import { type CredentialWatch, credentialSubjects } from '../../access/credential-changes.ts';
import type { EventsContext } from './events-context.ts';
import { type FeedWish, feedOf } from './feed.ts';
import { type Batch, type FeedFollower, followFeed } from './follow-feed.ts';

export interface FeedRequest {
  readonly clientAddress: string;
  /** Runs once the watch over credentials has begun. Throws when the caller may not open a stream. */
  readonly admit: () => Promise<AdmittedReader>;
  /** How long a credential that ended by time may still read, besides one wait. */
  readonly recheckMs: number;
}

export interface AdmittedReader {
  readonly caller: Caller;
  readonly wish: FeedWish;
  /** The caller as of now; throws when it may not go on. */
  readonly recheck: () => Promise<Caller>;
}

export interface GuardedFeed {
  /** Where it begins. */
  readonly after: string;
  /** As `FeedFollower.next`. Throws when the caller may not go on. */
  next(idleMs: number): Promise<Batch | undefined>;
  close(): void;
}

/** Takes a place among the open streams until it is closed. */
export async function openGuardedFeed(context: EventsContext, request: FeedRequest): Promise<GuardedFeed> {
  let follower: FeedFollower | undefined;
  const watch = context.credentials.watch(() => follower?.interrupt());
  try {
    const reader = await request.admit();
    const { clientAddress } = request;
    const giveBack = context.places.take(principalOf(reader.caller, clientAddress), clientAddress);
    try {
      const opened = await openFeed(context, reader);
      ({ follower } = opened);
      watch.follow([...credentialSubjects(reader.caller), ...follower.readers]);
      return guard(context, { ...request, ...reader, ...opened, watch, giveBack });
    } catch (error) {
      giveBack();
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
  readonly giveBack: () => void;
}

function guard({ database: { db } }: EventsContext, { follower, after, watch, giveBack, recheck, recheckMs, wish }: Opened): GuardedFeed {
  let cursor = after;
  let checkedAt = performance.now();

  /** Continues where the caller may read now. Events that came before the check are read again, by today's rights. */
  async function renew(from: string): Promise<void> {
    const caller = await recheck();
    checkedAt = performance.now();
    follower.changeTo(await feedOf(db, caller, wish.agent_id), from);
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
      giveBack();
    },
  };
}

async function openFeed(
  { database: { db }, hub }: EventsContext,
  { caller, wish: { after, types, order_id: orderId, agent_id: agentId } }: AdmittedReader,
): Promise<Pick<Opened, 'after' | 'follower'>> {
  const feed = await feedOf(db, caller, agentId);
  if (after !== undefined) await feed.requirePlace(db, after);
  const from = after ?? (await feed.now(db));
  return { after: from, follower: await followFeed({ db, hub, feed, after: from, filters: { types, orderId } }) };
}
