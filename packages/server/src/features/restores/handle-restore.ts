/**
 * A restored database gives back powers that people had ended since the backup. Powers that can be asked for again end: sessions, tokens of
 * connections, changes and moves that wait. Agents that programs registered pause. Links count as new. Keys, payers and limits stay, so
 * everybody is asked to check them. Deadlines that passed meanwhile, or soon pass, get a grace.
 */
import { toWireTime } from '@market/contract';
import { deleteAllSessions } from '../../access/credentials-repository.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog, EventReader, NewEvent } from '../../platform/events/event-log.ts';
import { endTokensOfAllConnections } from '../accounts/connections/index.ts';
import { renewLinks } from '../accounts/identity/index.ts';
import { endRestoredMoves } from '../accounts/moves/index.ts';
import { endPayoutChanges, pauseAgents } from '../agents/index.ts';
import { endRestoredSweeps } from '../earn/index.ts';
import { extendDeadlines, type MovedDeadlines } from './extend-deadlines.ts';
import { type Empowered, listEmpowered, lockLastUse, noteRestore } from './repository.ts';

export interface RestoresContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  /** How long payouts to a set address wait. */
  readonly payoutChangeDelaySeconds: number;
}

/** Counts of what ended or changed. */
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
  /** Counts of deadlines that got more time. */
  readonly deadlines: MovedDeadlines;
}

/** Undefined if the database has the same identity as before, or was never used. `isRestored`: it was restored in any case. */
export async function handleRestore(
  context: RestoresContext,
  { isRestored }: { readonly isRestored: boolean },
): Promise<EndedPowers | undefined> {
  return await context.database.transaction(async (tx) => {
    const { isElsewhere, lastSeenAt } = await lockLastUse(tx);
    if (!isElsewhere && !isRestored) return undefined;
    await noteRestore(tx);
    // Lock orders before agents, as every step does.
    const deadlines = await extendDeadlines(tx, { clock: context.clock, overBy: lastSeenAt });
    return await endRestoredPowers(tx, context, deadlines);
  });
}

async function endRestoredPowers(tx: Tx, context: Omit<RestoresContext, 'database'>, deadlines: MovedDeadlines): Promise<EndedPowers> {
  // Read this before sessions end: some people have nothing else.
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
