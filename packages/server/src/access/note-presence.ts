/** Notes when an agent shows a sign of life: it used its key, kept a stream open, or its endpoint accepted a webhook. Once a minute per process. */
import type { Clock } from '../platform/clock/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { storeSeen } from './presence-repository.ts';
import type { CallerResolver } from './resolve-caller.ts';

const NOTED_EVERY_MS = 60_000;
const MOST_REMEMBERED = 10_000;

/** Returns at once and never fails: a sign of life must not delay the call that showed it. */
export type NotePresence = (agentId: string) => void;

export function createPresenceNotes({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): NotePresence {
  const notedAt = new Map<string, number>();
  return (agentId) => {
    const now = clock.now().getTime();
    if (now - (notedAt.get(agentId) ?? 0) < NOTED_EVERY_MS) return;
    if (notedAt.size >= MOST_REMEMBERED) notedAt.clear();
    notedAt.set(agentId, now);
    storeSeen(db, agentId).catch((error: unknown) => log.warn({ err: error }, 'an agent’s presence could not be noted'));
  };
}

export function withPresence(resolver: CallerResolver, notePresence: NotePresence): CallerResolver {
  return {
    ...resolver,
    async resolve(credentials) {
      const caller = await resolver.resolve(credentials);
      if (caller.agent !== undefined && !caller.agent.keyRetired) notePresence(caller.agent.id);
      return caller;
    },
  };
}
