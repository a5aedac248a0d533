/**
 * News of the market while one looks: the event stream says that something about an order or a notification changed, and what is
 * shown of it is asked again. Where there is no stream, everything that may have changed is asked again every twenty seconds.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { orderEventNames } from './order-event-names.ts';
import { useSession } from './session.ts';

const STREAM = '/api/events/stream';
const POLL_MS = 20_000;
const RETRY_STREAM_MS = 60_000;

/** Answers that depend on the orders of whoever looks. */
const LIVE_GROUPS = ['orders', 'messages', 'notifications', 'disputes', 'workspaces', 'money', 'reviews', 'webhooks'];

export function useLive(): void {
  const queries = useQueryClient();
  const { state } = useSession();
  useEffect(() => (state === 'signed-in' ? followEvents(queries) : undefined), [queries, state]);
}

function followEvents(queries: QueryClient): () => void {
  let source: EventSource | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const open = (): void => {
    source = new EventSource(STREAM);
    source.onopen = () => {
      clearInterval(polling);
      polling = undefined;
      // Between the page and the stream something may have happened.
      refreshLive(queries);
    };
    for (const name of orderEventNames) source.addEventListener(name, (event) => refreshFor(queries, (event as MessageEvent).data));
    source.onerror = () => {
      polling ??= setInterval(() => refreshLive(queries), POLL_MS);
      // The browser reconnects by itself unless the server refused; then we try again later.
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_STREAM_MS);
    };
  };
  open();
  return () => {
    source?.close();
    clearInterval(polling);
    clearTimeout(retry);
  };
}

function refreshFor(queries: QueryClient, data: unknown): void {
  const orderId = orderIdOf(data);
  void queries.invalidateQueries({
    predicate: ({ queryKey: [name, args] }) => isLive(name) && concerns(args, orderId),
  });
}

/** Lists concern every order; a single read only its own. */
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
