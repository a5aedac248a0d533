/**
 * Wakes open streams in this process when a credential changes in any process. Changes are replaced keys, ended sessions, revoked
 * connections, ended order tokens and bans. A woken stream checks its caller again.
 */
import type { Db } from '../platform/db/database.ts';
import type { Notifications } from '../platform/db/notifications.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Caller } from './caller.ts';
import { CREDENTIALS_CHANNEL, listRecentChanges } from './credential-changes-repository.ts';

export interface CredentialChanges {
  /** Until `follow` names subjects, every change counts. So a watch that begins before the caller is resolved misses none. */
  watch(wake: () => void): CredentialWatch;
}

export interface CredentialWatch {
  /** Only changes of these subjects count from now on. Wakes at once if something changed before. */
  follow(subjects: readonly string[]): void;
  /** Whether something changed since the last call. */
  take(): boolean;
  close(): void;
}

export interface CredentialChangesOptions {
  readonly db: Db;
  readonly notifications: Pick<Notifications, 'on'>;
  readonly log: Logger;
}

/** Subject of changes that concern every watch: one ban may concern an account, its wallets and its agents. */
const EVERYBODY = '*';
/** How far back to read after a lost connection. Streams check their callers more often than that anyway. */
const RECENT_SECONDS = 60;

interface Watcher {
  /** Undefined: every subject. */
  subjects: ReadonlySet<string> | undefined;
  changed: boolean;
  readonly wake: () => void;
}

export function createCredentialChanges({ db, notifications, log }: CredentialChangesOptions): CredentialChanges {
  const watchers = new Set<Watcher>();
  let known: ReadonlySet<bigint> = new Set();
  let reading = false;
  let again = false;

  function announce(subject: string): void {
    for (const watcher of watchers) {
      if (subject !== EVERYBODY && watcher.subjects?.has(subject) === false) continue;
      watcher.changed = true;
      watcher.wake();
    }
  }

  /** Reads changes from the database: notifications may be missing, or this process polls for commits. */
  async function readMissed(): Promise<void> {
    again = reading;
    if (reading || watchers.size === 0) return;
    reading = true;
    try {
      do {
        again = false;
        const recent = await listRecentChanges(db, RECENT_SECONDS);
        for (const { id, subject } of recent) if (!known.has(id)) announce(subject);
        known = new Set(recent.map(({ id }) => id));
      } while (again);
    } catch (error) {
      log.warn({ err: error }, 'changes of credentials could not be read; open streams check again within a minute');
    } finally {
      reading = false;
    }
  }

  notifications.on(CREDENTIALS_CHANNEL, (subject) => {
    if (subject === undefined) void readMissed();
    else announce(subject);
  });
  return {
    watch(wake) {
      const watcher: Watcher = { subjects: undefined, changed: false, wake };
      watchers.add(watcher);
      return {
        follow(subjects) {
          watcher.subjects = new Set(subjects);
          if (watcher.changed) wake();
        },
        take() {
          const { changed } = watcher;
          watcher.changed = false;
          return changed;
        },
        close: () => void watchers.delete(watcher),
      };
    },
  };
}

/** Subjects under which the credentials of this caller change. */
export function credentialSubjects({ agent, user, wallet, walletElsewhere, orderId, connection }: Caller): readonly string[] {
  return [
    ...(agent === undefined ? [] : [`agent:${agent.id}`]),
    ...(user === undefined ? [] : [`user:${user.id}`]),
    ...[wallet, walletElsewhere].flatMap((one) => (one === undefined ? [] : [`wallet:${one.address}`])),
    ...(orderId === undefined ? [] : [`order:${orderId}`]),
    ...(connection === undefined ? [] : [`connection:${connection.id}`]),
  ];
}
