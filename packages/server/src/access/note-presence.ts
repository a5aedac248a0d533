/** An agent that uses its key is alive. Noted once a minute per process, and never in the way of the call. */
import type { AgentId } from '@market/contract';
import type { Clock } from '../platform/clock/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { storeSeen } from './presence-repository.ts';
import type { CallerResolver } from './resolve-caller.ts';

const NOTED_EVERY_MS = 60_000;
const MOST_REMEMBERED = 10_000;

export function notePresence(resolver: CallerResolver, { db, clock, log }: { db: Db; clock: Clock; log: Logger }): CallerResolver {
  const notedAt = new Map<AgentId, number>();

  function note(agentId: AgentId): void {
    const now = clock.now().getTime();
    if (now - (notedAt.get(agentId) ?? 0) < NOTED_EVERY_MS) return;
    if (notedAt.size >= MOST_REMEMBERED) notedAt.clear();
    notedAt.set(agentId, now);
    storeSeen(db, agentId).catch((error: unknown) => log.warn({ err: error }, 'an agent’s presence could not be noted'));
  }

  return {
    ...resolver,
    async resolve(credentials) {
      const caller = await resolver.resolve(credentials);
      if (caller.agent !== undefined && !caller.agent.keyRetired) note(caller.agent.id);
      return caller;
    },
  };
}
