/** One connection per process that listens for NOTIFY and comes back by itself when the database restarts. */
import pg from 'pg';
import type { DatabaseOptions } from './database.ts';

export interface Notifications {
  /** `wake` is called on every notification with what it says, and once without after each reconnect because some may have been missed. */
  on(channel: string, wake: Wake): void;
  close(): Promise<void>;
}

type Wake = (payload?: string) => void;

const RECONNECT_MS = 1_000;

export async function listenForNotifications(
  connection: DatabaseOptions['connection'],
  onError: (error: Error) => void,
): Promise<Notifications> {
  const listeners = new Map<string, Set<Wake>>();
  let client: pg.Client | undefined;
  let closed = false;
  let asked: Promise<unknown> = Promise.resolve();

  const wakeAll = (): void => {
    for (const set of listeners.values()) for (const wake of set) wake();
  };

  async function connect(): Promise<void> {
    const next = new pg.Client({ ...connection, application_name: 'market listener', keepAlive: true });
    next.on('notification', ({ channel, payload }) => {
      for (const wake of listeners.get(channel) ?? []) wake(payload ?? '');
    });
    let lost = false;
    const onLost = (error?: Error): void => {
      if (lost || closed) return;
      lost = true;
      if (error) onError(error);
      client = undefined;
      setTimeout(() => void reconnect(), RECONNECT_MS).unref();
    };
    next.on('error', onLost);
    next.on('end', () => onLost());
    await next.connect();
    for (const channel of listeners.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    client = next;
  }

  async function reconnect(): Promise<void> {
    if (closed) return;
    try {
      await connect();
      wakeAll();
    } catch (error) {
      onError(error as Error);
      setTimeout(() => void reconnect(), RECONNECT_MS).unref();
    }
  }

  await connect();
  return {
    on(channel, wake) {
      const set = listeners.get(channel) ?? new Set();
      set.add(wake);
      if (!listeners.has(channel)) {
        listeners.set(channel, set);
        const current = client;
        // One after the other: a connection carries one statement at a time.
        asked = asked.then(() => current?.query(`listen ${pg.escapeIdentifier(channel)}`)).catch(onError);
      }
    },
    async close() {
      closed = true;
      await client?.end();
    },
  };
}
