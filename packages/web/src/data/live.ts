/**
 * Live updates: when the event stream reports a change of an order, a bounty or a notification, the page refetches its data. Without a
 * stream, it refetches all data that may have changed every twenty seconds.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { bountyEventNames } from './bounty-event-names.ts';
import { earnEventNames } from './earn-event-names.ts';
import { orderEventNames } from './order-event-names.ts';
import { useSession } from './session.ts';

const STREAM = '/api/events/stream';
const POLL_MS = 20_000;
const RETRY_STREAM_MS = 60_000;
/** The browser reconnects within seconds; the stream counts as lost only after this time. */
const LOST_AFTER_MS = 8_000;
/** A job writes notifications after the event, so the first refetch may come too early. */
const NOTIFIED_AFTER_MS = 1_500;

const SEARCH_MATCHED = 'saved_search.matched';

/** Answers that depend on the viewer's orders, bounties and saved searches. */
const LIVE_GROUPS = [
  'orders',
  'bounties',
  'messages',
  'notifications',
  'disputes',
  'workspaces',
  'money',
  'reviews',
  'webhooks',
  'savedSearches',
];

/** Kept out of the live groups: reading positions counts against a limit, so other events must not refetch them. */
const EARN_ANSWERS = ['earn.positions', 'earn.movements', 'earn.movement', 'earn.markets'];

/** Follows the event stream. Returns when it was lost, by this computer's clock; undefined while it is open. */
export function useLive(): number | undefined {
  const queries = useQueryClient();
  const { state } = useSession();
  const [lostAt, setLostAt] = useState<number>();
  useEffect(() => {
    if (state !== 'signed-in') return;
    const stop = followEvents(queries, setLostAt);
    return () => {
      stop();
      setLostAt(undefined);
    };
  }, [queries, state]);
  return lostAt;
}

function followEvents(queries: QueryClient, onLost: (at: number | undefined) => void): () => void {
  let source: EventSource | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let losing: ReturnType<typeof setTimeout> | undefined;
  let late: ReturnType<typeof setTimeout> | undefined;

  const hear = (event: Event): void => {
    refreshFor(queries, (event as MessageEvent).data);
    clearTimeout(late);
    late = setTimeout(() => void queries.invalidateQueries({ queryKey: ['notifications.list'] }), NOTIFIED_AFTER_MS);
  };

  const hearEarn = (event: Event): void => {
    for (const name of EARN_ANSWERS) void queries.invalidateQueries({ queryKey: [name] });
    hear(event);
  };

  const open = (): void => {
    source = new EventSource(STREAM);
    source.onopen = () => {
      clearInterval(polling);
      polling = undefined;
      clearTimeout(losing);
      losing = undefined;
      onLost(undefined);
      // Catches up on events between the rendering of the page and the start of the stream.
      refreshLive(queries);
    };
    for (const name of [...orderEventNames, ...bountyEventNames, SEARCH_MATCHED]) source.addEventListener(name, hear);
    for (const name of earnEventNames) source.addEventListener(name, hearEarn);
    source.onerror = () => {
      const at = Date.now();
      losing ??= setTimeout(() => onLost(at), LOST_AFTER_MS);
      polling ??= setInterval(() => refreshLive(queries), POLL_MS);
      // The browser reconnects unless the server refused; then we retry later.
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_STREAM_MS);
    };
  };
  open();
  return () => {
    source?.close();
    clearInterval(polling);
    clearTimeout(retry);
    clearTimeout(losing);
    clearTimeout(late);
  };
}

function refreshFor(queries: QueryClient, data: unknown): void {
  const orderId = orderIdOf(data);
  void queries.invalidateQueries({
    predicate: ({ queryKey: [name, args] }) => isLive(name) && concerns(args, orderId),
  });
}

/** An order's event concerns every list, but only the single reads of that order. */
function concerns(args: unknown, orderId: string | undefined): boolean {
  const id = args !== null && typeof args === 'object' && 'id' in args ? args.id : undefined;
  return orderId === undefined || typeof id !== 'string' || !id.startsWith('ord_') || id === orderId;
}

function refreshLive(queries: QueryClient): void {
  void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => isLive(name) });
}

function isLive(name: unknown): boolean {
  return typeof name === 'string' && LIVE_GROUPS.includes(name.split('.')[0] ?? '');
}

function orderIdOf(data: unknown): string | undefined {
  try {
    const event: unknown = JSON.parse(String(data));
    return event !== null && typeof event === 'object' && 'order_id' in event && typeof event.order_id === 'string'
      ? event.order_id
      : undefined;
  } catch {
    return undefined;
  }
}
