/**
 * One connection per process that listens for NOTIFY and reconnects when the database restarts. A pooler in transaction mode does not
 * forward notifications; then the process polls for changes.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createAlarm } from '../alarm.ts';
import { type Backoff, backoffMs } from '../backoff.ts';
import type { DatabaseOptions } from './database.ts';
import { type ChangePoll, pollForChanges } from './poll-changes.ts';

export interface Notifications {
  /**
   * Calls `wake` with the payload of every notification, and once without payload after each reconnect, because some may have been missed.
   * While polling, calls it without payload after each change.
   */
  on(channel: string, wake: Wake): void;
  close(): Promise<void>;
}

type Wake = (payload?: string) => void;

/** The longest pause is short, so that the service recovers within seconds of the database. */
const RECONNECT: Backoff = { firstMs: 100, longestMs: 2_000 };
/** A server that accepts the connection and then sends nothing counts as gone. */
const CONNECT_LIMIT_MS = 5_000;
/** Limit of the test notification; PostgreSQL delivers within milliseconds. */
const HEARING_LIMIT_MS = 1_000;
/** Repeats the test while polling: a busy machine may have missed the first one. */
const TRY_TO_HEAR_AGAIN_MS = 60_000;

export interface Announcers {
  /** The pool that sends notifications. The listening connection must receive them. */
  readonly pool: pg.Pool;
  /** Called when no notification arrives and polling begins. */
  readonly onDeaf: () => void;
}

/** Without `announcers`, the connection is known to be PostgreSQL's own. */
export async function listenForNotifications(
  connection: DatabaseOptions['connection'],
  onError: (error: Error) => void,
  announcers?: Announcers,
): Promise<Notifications> {
  const listeners = new Map<string, Set<Wake>>();
  const alarm = createAlarm();
  let polling: ChangePoll | undefined;
  let closed = false;
  let current: ListeningClient | undefined = await connect();

  function wakeAll(): void {
    for (const set of listeners.values()) for (const wake of set) wake();
  }

  /** Undefined when this connection receives no notifications; then the process polls. */
  async function connect(): Promise<ListeningClient | undefined> {
    const channels = [...listeners.keys()];
    const client = await openListeningClient(
      connection,
      channels,
      ({ channel, payload }) => {
        for (const wake of listeners.get(channel) ?? []) wake(payload ?? '');
      },
      announcers?.pool,
    );
    if (announcers !== undefined && client === undefined && polling === undefined) {
      announcers.onDeaf();
      polling = pollForChanges({ pool: announcers.pool, onChange: wakeAll, onError });
    }
    if (client === undefined) return undefined;
    await polling?.stop();
    polling = undefined;
    // Listeners may have added channels in the meantime.
    for (const channel of [...listeners.keys()].slice(channels.length)) client.listen(channel);
    return client;
  }

  /** Only this loop reconnects, so there is never more than one attempt at a time. */
  async function keepListening(): Promise<void> {
    for (let failures = 0; !closed; ) {
      if (current !== undefined) {
        const error = await current.lost;
        current = undefined;
        if (closed) return;
        if (error !== undefined) onError(error);
      }
      await alarm.wait(polling !== undefined && failures === 0 ? TRY_TO_HEAR_AGAIN_MS : backoffMs(failures, RECONNECT));
      if (closed) return;
      try {
        current = await connect();
        failures = 0;
        wakeAll();
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
      alarm.wake();
      await current?.end();
      await kept;
      // A running connection attempt may have succeeded in the meantime.
      await current?.end();
      await polling?.stop();
    },
  };
}

interface ListeningClient {
  /** Resolves when the connection ends, with the error that ended it. */
  readonly lost: Promise<Error | undefined>;
  listen(channel: string): void;
  end(): Promise<void>;
}

/** Undefined when notifications from `announcer` do not arrive. */
async function openListeningClient(
  connection: DatabaseOptions['connection'],
  channels: readonly string[],
  hear: (message: pg.Notification) => void,
  announcer?: pg.Pool,
): Promise<ListeningClient | undefined> {
  const client = new pg.Client({
    ...connection,
    application_name: 'market listener',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error | undefined>();
  const giveUp = (error: Error): void => {
    lose(error);
    // A connection that cannot listen is useless, and would stay open on the server.
    void client.end().catch(() => undefined);
  };
  client.on('notification', hear);
  client.on('error', giveUp);
  client.on('end', () => lose(undefined));
  // One by one: a connection runs one statement at a time.
  let asked: Promise<unknown> = client.connect();
  const listen = (channel: string): void => {
    asked = asked.then(() => client.query(`listen ${pg.escapeIdentifier(channel)}`));
  };
  try {
    await asked;
    // Test before LISTEN: behind a pooler, LISTEN would stay on a server connection that we no longer use.
    if (announcer !== undefined && !(await isHeard(client, announcer))) {
      await client.end();
      return undefined;
    }
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

async function isHeard(client: pg.Client, announcer: pg.Pool): Promise<boolean> {
  const channel = `market_hears_${randomBytes(8).toString('hex')}`;
  const { promise: heard, resolve } = Promise.withResolvers<boolean>();
  const hear = (message: pg.Notification): void => {
    if (message.channel === channel) resolve(true);
  };
  client.on('notification', hear);
  client.once('end', () => resolve(false));
  let timer: NodeJS.Timeout | undefined;
  try {
    await client.query(`listen ${channel}`);
    await announcer.query('select pg_notify($1, $2)', [channel, '']);
    timer = setTimeout(resolve, HEARING_LIMIT_MS, false);
    if (!(await heard)) return false;
    await client.query(`unlisten ${channel}`);
    return true;
  } finally {
    clearTimeout(timer);
    client.off('notification', hear);
  }
}
