/**
 * `subscriptions/listen`: a stream of changes for one caller, fed from that caller's own event feed. Every stream has its own bus, so no
 * caller sees another's orders.
 */

import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { type GuardedFeed, openGuardedFeed } from '../../features/events/index.ts';
import { streamOperation } from '../events/stream-operation.ts';
import type { McpCaller } from './authenticate.ts';
import { LISTEN_PACE, type McpOptions } from './mcp-options.ts';
import { orderUri, QUEUE_URI } from './resources.ts';

export interface Listening {
  readonly bus: ServerEventBus;
  /** Ends with the stream: when the client disconnects, the credential ends, or the server stops. */
  readonly run: (end: () => void) => Promise<void>;
  readonly stop: () => void;
}

/** Throws when the caller may not open a stream of events, opens them too fast, or has too many open. */
export async function listenFor(
  { credentials }: McpCaller,
  { events, executor, log, listenPace: { recheckMs, waitMs } = LISTEN_PACE }: McpOptions,
): Promise<Listening> {
  const feed = await openGuardedFeed(events, {
    clientAddress: credentials.clientAddress,
    recheckMs,
    // Resolves the caller again: its credentials may have changed since the request arrived.
    admit: async () => ({ ...(await executor.open({ operation: streamOperation, args: {}, credentials, log })), query: {} }),
  });
  const listeners = new Set<(event: ServerEvent) => void>();
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
        await follow(feed, waitMs, (uri) => {
          for (const listener of listeners) listener({ kind: 'resource_updated', uri });
        });
      } catch (error) {
        log.info({ err: error }, 'an MCP subscription ended');
      } finally {
        feed.close();
        end();
      }
    },
    stop: feed.close,
  };
}

async function follow(feed: GuardedFeed, waitMs: number, changed: (uri: string) => void): Promise<void> {
  for (;;) {
    const batch = await feed.next(waitMs);
    if (batch === undefined) return;
    const ofOrders = batch.events.flatMap(({ orderId }) => orderId ?? []);
    if (ofOrders.length > 0) changed(QUEUE_URI);
    for (const orderId of new Set(ofOrders)) changed(orderUri(orderId));
  }
}
