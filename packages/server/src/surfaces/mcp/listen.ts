/**
 * `subscriptions/listen`: a stream of changes for one caller, fed from that caller's own event feed. Every stream has a bus of its own, so
 * nobody hears of another's orders.
 */

import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { principalOf } from '../../access/caller.ts';
import { type FeedFollower, feedOf, openFeed } from '../../features/events/index.ts';
import type { McpCaller } from './authenticate.ts';
import type { McpOptions } from './mcp-options.ts';
import { orderUri, QUEUE_URI } from './resources.ts';

/** How long a revoked credential may still listen, besides one wait. */
const RECHECK_MS = 30_000;
const WAIT_MS = 15_000;

export interface Listening {
  readonly bus: ServerEventBus;
  /** Ends with the stream: when the client leaves, the credential ends, or the server stops. */
  readonly run: (end: () => void) => Promise<void>;
  readonly stop: () => void;
}

/** Throws when the caller has as many streams open as one may. */
export async function listenFor({ caller, credentials }: McpCaller, { events, resolver, log }: McpOptions): Promise<Listening> {
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
    const now = await resolver.resolve({ ...credentials, request: { method: 'POST', path: '/mcp', body: undefined } });
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
        await follow(follower, recheck, (uri) => {
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

async function follow(follower: FeedFollower, recheck: () => Promise<void>, changed: (uri: string) => void): Promise<void> {
  let checkedAt = performance.now();
  for (;;) {
    const batch = await follower.next(WAIT_MS);
    if (batch === undefined) return;
    if (performance.now() - checkedAt >= RECHECK_MS) {
      await recheck();
      checkedAt = performance.now();
    }
    const ofOrders = batch.events.flatMap(({ orderId }) => orderId ?? []);
    if (ofOrders.length > 0) changed(QUEUE_URI);
    for (const orderId of new Set(ofOrders)) changed(orderUri(orderId));
  }
}
