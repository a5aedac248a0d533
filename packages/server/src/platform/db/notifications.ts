/** One connection per process that listens for NOTIFY and comes back by itself when the database restarts. */
import pg from 'pg';
import { createAlarm } from '../alarm.ts';
import { type Backoff, backoffMs } from '../backoff.ts';
import type { DatabaseOptions } from './database.ts';

export interface Notifications {
  /** `wake` is called on every notification with what it says, and once without after each reconnect because some may have been missed. */
  on(channel: string, wake: Wake): void;
  close(): Promise<void>;
}

type Wake = (payload?: string) => void;

/** The longest wait stays short: service must be back within seconds of the database. */
const RECONNECT: Backoff = { firstMs: 100, longestMs: 2_000 };
/** A server that accepts the connection and then says nothing counts as gone. */
const CONNECT_LIMIT_MS = 5_000;

export async function listenForNotifications(
  connection: DatabaseOptions['connection'],
  onError: (error: Error) => void,
): Promise<Notifications> {
  const listeners = new Map<string, Set<Wake>>();
  const alarm = createAlarm();
  let current: ListeningClient | undefined = await connect();
  let closed = false;

  async function connect(): Promise<ListeningClient> {
    const channels = [...listeners.keys()];
    const client = await openListeningClient(connection, channels, ({ channel, payload }) => {
      for (const wake of listeners.get(channel) ?? []) wake(payload ?? '');
    });
    // Channels may have been added meanwhile.
    for (const channel of [...listeners.keys()].slice(channels.length)) client.listen(channel);
    return client;
  }

  /** The only place that reconnects, so there is never more than one attempt under way. */
  async function keepListening(): Promise<void> {
    for (let failures = 0; !closed; ) {
      if (current !== undefined) {
        const error = await current.lost;
        current = undefined;
        if (closed) return;
        if (error !== undefined) onError(error);
      }
      await alarm.wait(backoffMs(failures, RECONNECT));
      if (closed) return;
      try {
        current = await connect();
        failures = 0;
        for (const set of listeners.values()) for (const wake of set) wake();
      } catch (error) {
        failures += 1;
        onError(error as Error);
      }
    }
  }

  const kept = keepListening();
  return {
    on(channel, wake) {
      const set = listeners.get(channel) ?? new Set();
      set.add(wake);
      if (listeners.has(channel)) return;
      listeners.set(channel, set);
      current?.listen(channel);
    },
    async close() {
      closed = true;
      alarm.ring();
      await current?.end();
      await kept;
    },
  };
}

interface ListeningClient {
  /** Resolves when the connection is over, with the error that ended it. */
  readonly lost: Promise<Error | undefined>;
  listen(channel: string): void;
  end(): Promise<void>;
}

async function openListeningClient(
  connection: DatabaseOptions['connection'],
  channels: readonly string[],
  hear: (message: pg.Notification) => void,
): Promise<ListeningClient> {
  const client = new pg.Client({
    ...connection,
    application_name: 'market listener',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error | undefined>();
  const giveUp = (error: Error): void => {
    lose(error);
    // A connection that cannot listen is of no use, and would stay open on the server.
    void client.end().catch(() => undefined);
  };
  client.on('notification', hear);
  client.on('error', giveUp);
  client.on('end', () => lose(undefined));
  // One after the other: a connection carries one statement at a time.
  let asked: Promise<unknown> = client.connect();
  const listen = (channel: string): void => {
    asked = asked.then(() => client.query(`listen ${pg.escapeIdentifier(channel)}`));
  };
  try {
    for (const channel of channels) listen(channel);
    await asked;
  } catch (error) {
    giveUp(error as Error);
    throw error;
  }
  return {
    lost,
    listen(channel) {
      listen(channel);
      asked.catch(giveUp);
    },
    end: () => client.end(),
  };
}
