/**
 * `subscriptions/listen`: a stream of changes for one caller, fed from that caller's own event feed. Every stream has a bus of its own, so
 * nobody hears of another's orders.
 */

import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { principalOf } from '../../access/caller.ts';
import { type FeedFollower, feedOf, openFeed } from '../../features/events/index.ts';
import { streamOperation } from '../events/stream-operation.ts';
import type { McpCaller } from './authenticate.ts';
import { LISTEN_PACE, type ListenPace, type McpOptions } from './mcp-options.ts';
import { orderUri, QUEUE_URI } from './resources.ts';

export interface Listening {
  readonly bus: ServerEventBus;
  /** Ends with the stream: when the client leaves, the credential ends, or the server stops. */
  readonly run: (end: () => void) => Promise<void>;
  readonly stop: () => void;
}

/** Throws when the caller may not open a stream of events, opens them too fast, or has as many as one may. */
export async function listenFor(
  { caller, credentials }: McpCaller,
  { events, executor, log, listenPace = LISTEN_PACE }: McpOptions,
): Promise<Listening> {
  await executor.open({ operation: streamOperation, args: {}, credentials, resolved: caller, log });
  const giveBack = events.places.take(principalOf(caller, credentials.clientAddress), credentials.clientAddress);
  const follower = await openFeed(events, caller, {}).then(
    (opened) => opened.follower,
    (error: unknown) => {
      giveBack();
      throw error;
    },
  );
  const listeners = new Set<(event: ServerEvent) => void>();
  const stop = (): void => {
    follower.close();
    giveBack();
  };
  const recheck = async (): Promise<void> => {
    const now = await executor.recheck(streamOperation, credentials);
    follower.changeTo(await feedOf(events.database.db, now));
  };
  return {
    bus: {
      publish: () => undefined,
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    async run(end) {
      try {
        await follow(follower, { recheck, ...listenPace }, (uri) => {
          for (const listener of listeners) listener({ kind: 'resource_updated', uri });
        });
      } catch (error) {
        log.info({ err: error }, 'an MCP subscription ended');
      } finally {
        stop();
        end();
      }
    },
    stop,
  };
}

interface Watch extends ListenPace {
  /** Throws when the caller may not go on. */
  readonly recheck: () => Promise<void>;
}

async function follow(follower: FeedFollower, { recheck, recheckMs, waitMs }: Watch, changed: (uri: string) => void): Promise<void> {
  let checkedAt = performance.now();
  for (;;) {
    const batch = await follower.next(waitMs);
    if (batch === undefined) return;
    if (performance.now() - checkedAt >= recheckMs) {
      await recheck();
      checkedAt = performance.now();
    }
    const ofOrders = batch.events.flatMap(({ orderId }) => orderId ?? []);
    if (ofOrders.length > 0) changed(QUEUE_URI);
    for (const orderId of new Set(ofOrders)) changed(orderUri(orderId));
  }
}
