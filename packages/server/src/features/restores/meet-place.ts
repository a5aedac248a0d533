/**
 * A restored database gives back what people had ended since the backup. What can be asked for again ends: sessions, tokens of connections,
 * changes and moves that wait. Agents that programs registered pause. Links count as new. Keys, payers and limits stay, so everybody is asked to check them.
 * Deadlines that passed meanwhile, or soon pass, leave a grace.
 */
import { toWireTime } from '@market/contract';
import { deleteAllSessions } from '../../access/credentials-repository.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog, EventReader, NewEvent } from '../../platform/events/event-log.ts';
import { endPayoutChanges, pauseAgents } from '../agents/index.ts';
import { endTokensOfAllConnections } from '../connections/index.ts';
import { endRestoredSweeps } from '../earn/index.ts';
import { renewLinks } from '../identity/index.ts';
import { endRestoredMoves } from '../moves/index.ts';
import { extendDeadlines, type MovedDeadlines } from './extend-deadlines.ts';
import { type Empowered, listEmpowered, lockPlace, noteRestore } from './repository.ts';

export interface RestoresContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  /** How long payouts to a set address wait. */
  readonly payoutChangeDelaySeconds: number;
}

/** How many of each. */
export interface EndedPowers {
  readonly sessions: number;
  readonly connections: number;
  readonly payoutChanges: number;
  readonly moves: number;
  /** Agents of programs that stop until their person connects the program again. */
  readonly agents: number;
  /** Rules by which agents' idle USDC goes into Earn. */
  readonly sweeps: number;
  /** Links that count as new. */
  readonly links: number;
  readonly notified: number;
  /** How many deadlines have more time. */
  readonly deadlines: MovedDeadlines;
}

/** Undefined when the books are where they were before, or were never used. `isRestored`: they were restored in any case. */
export async function meetPlace(
  context: RestoresContext,
  { isRestored }: { readonly isRestored: boolean },
): Promise<EndedPowers | undefined> {
  return await context.database.transaction(async (tx) => {
    const { isElsewhere, lastSeenAt } = await lockPlace(tx);
    if (!isElsewhere && !isRestored) return undefined;
    await noteRestore(tx);
    // Orders before agents, as every step locks them.
    const deadlines = await extendDeadlines(tx, { clock: context.clock, overBy: lastSeenAt });
    return await endRestoredPowers(tx, context, deadlines);
  });
}

async function endRestoredPowers(tx: Tx, context: Omit<RestoresContext, 'database'>, deadlines: MovedDeadlines): Promise<EndedPowers> {
  // Before their sessions end: some have nothing else.
  const empowered = await listEmpowered(tx);
  const ended = {
    sessions: await deleteAllSessions(tx),
    connections: await endTokensOfAllConnections(tx),
    payoutChanges: await endPayoutChanges(tx, context),
    moves: await endRestoredMoves(tx, context),
    agents: await pauseAgents(tx, context),
    sweeps: await endRestoredSweeps(tx, context),
    links: await renewLinks(tx),
    notified: empowered.length,
    deadlines,
  };
  const until = new Date(context.clock.now().getTime() + context.payoutChangeDelaySeconds * 1000);
  const data = { payouts_wait_until: toWireTime(until), deadlines_not_before: deadlines.notBefore };
  await context.events.append(
    tx,
    empowered.map((one) => eventFor(one, data)),
  );
  return ended;
}

function eventFor({ userId, wallets, agentId }: Empowered, data: NewEvent['data']): NewEvent {
  const readers: EventReader[] = wallets.map((wallet) => `wallet:${wallet}` as const);
  if (userId !== null) readers.unshift(`user:${userId}`);
  return {
    type: 'market.restored',
    subjectId: userId ?? wallets[0] ?? agentId ?? '',
    readers,
    data,
    context: { user_ids: userId === null ? [] : [userId], wallets },
    ...(agentId !== null && { agentId }),
  };
}
