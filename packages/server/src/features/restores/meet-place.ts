/**
 * A restored database gives back what people had ended since the backup. What can be asked for again ends: sessions, tokens of connections,
 * changes and moves that wait. Links count as new. Keys, payers and limits stay, so everybody is asked to check them.
 */
import { deleteAllSessions } from '../../access/credentials-repository.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog, EventReader, NewEvent } from '../../platform/events/event-log.ts';
import { endPayoutChanges } from '../agents/index.ts';
import { endTokensOfAllConnections } from '../connections/index.ts';
import { renewLinks } from '../identity/index.ts';
import { endRestoredMoves } from '../moves/index.ts';
import { type Empowered, listEmpowered, lockPlace, noteRestore } from './repository.ts';

export interface RestoresContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
}

/** How many of each. */
export interface EndedPowers {
  readonly sessions: number;
  readonly connections: number;
  readonly payoutChanges: number;
  readonly moves: number;
  /** Links that count as new. */
  readonly links: number;
  readonly notified: number;
}

/** Undefined when the books are where they were before, or were never used. `isRestored`: they were restored in any case. */
export async function meetPlace(
  context: RestoresContext,
  { isRestored }: { readonly isRestored: boolean },
): Promise<EndedPowers | undefined> {
  return await context.database.transaction(async (tx) => {
    const isElsewhere = await lockPlace(tx);
    if (!isElsewhere && !isRestored) return undefined;
    await noteRestore(tx);
    return await endRestoredPowers(tx, context);
  });
}

async function endRestoredPowers(tx: Tx, context: Pick<RestoresContext, 'clock' | 'events'>): Promise<EndedPowers> {
  // Before their sessions end: some have nothing else.
  const empowered = await listEmpowered(tx);
  const ended = {
    sessions: await deleteAllSessions(tx),
    connections: await endTokensOfAllConnections(tx),
    payoutChanges: await endPayoutChanges(tx, context),
    moves: await endRestoredMoves(tx, context),
    links: await renewLinks(tx),
    notified: empowered.length,
  };
  await context.events.append(tx, empowered.map(eventFor));
  return ended;
}

function eventFor({ userId, wallets, agentId }: Empowered): NewEvent {
  const readers: EventReader[] = wallets.map((wallet) => `wallet:${wallet}` as const);
  if (userId !== null) readers.unshift(`user:${userId}`);
  return {
    type: 'market.restored',
    subjectId: userId ?? wallets[0] ?? agentId ?? '',
    readers,
    data: {},
    context: { user_ids: userId === null ? [] : [userId], wallets },
    ...(agentId !== null && { agentId }),
  };
}
