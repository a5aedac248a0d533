/** The closing itself, in one transaction. Anything open refuses it; afterwards only the records that the books need remain. */
import { MarketError, toWireTime } from '@market/contract';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { newNameEnd } from '../../../platform/random.ts';
import { makeApiKey } from '../../agents/index.ts';
import { endConnection } from '../connections/index.ts';
import { lockAccountCreation } from '../identity/index.ts';
import { cancelOpen } from '../moves/index.ts';
import type { ClosingContext } from './closing-context.ts';
import { forgetAgent, forgetWords } from './forget-agents-repository.ts';
import { forgetText } from './forget-text-repository.ts';
import { listClosableAgents, listOpenConnections, listOpenThings, lockAgents, type OpenThing } from './open-things-repository.ts';
import { beginForgetting, endPolicies, listWaitingClosings } from './person-repository.ts';
import { replaceUser } from './rename-account-repository.ts';
import { type ClosingSubject, userOf, walletOf } from './subject.ts';

export function refuseOpen(open: readonly OpenThing[]): void {
  if (open.length > 0) throw new MarketError('still_open', { data: { open } });
}

/** Leaves out agents that the person can no longer close. `listOpenThings` reports those that the person still owns as open. */
async function stillClosable(tx: Tx, { clock, payoutChangeDelaySeconds }: ClosingContext, asked: ClosingSubject): Promise<ClosingSubject> {
  if (asked.person === undefined || asked.agents.length === 0) return asked;
  const closable = await listClosableAgents(tx, asked.person, { now: clock.now(), payoutChangeDelaySeconds });
  return { ...asked, agents: asked.agents.filter((id) => closable.includes(id)) };
}

/** Locks serialise this with concurrent sign-ins, orders and claims. Earlier ones are seen here; later ones find the account or agent closed. */
export async function close(tx: Tx, context: ClosingContext, asked: ClosingSubject, moveId?: string) {
  const [userId, wallet] = [userOf(asked), walletOf(asked)];
  if (userId !== null) await lockAccountCreation(tx, userId);
  await lockAgents(tx, asked.agents);
  const subject = await stillClosable(tx, context, asked);
  refuseOpen(await listOpenThings(tx, subject));
  const now = context.clock.now();
  const connections = await listOpenConnections(tx, subject);
  await beginForgetting(tx);
  await forgetText(tx, subject);
  for (const id of subject.agents) await forgetAgent(tx, id, makeApiKey(id, context.secrets).columns, newNameEnd());
  if (subject.agents.length > 0) await forgetWords(tx);
  await endPolicies(tx, subject);
  const closedId = `closed_${newNameEnd()}`;
  if (userId !== null) await replaceUser(tx, userId, closedId, now);
  reachCrashPoint('closing.before_connections');
  // Runs after the account got its new id, so that these ends notify nobody.
  for (const id of connections) await endConnection(tx, context, id, 'person');
  const owner = userId === null ? null : `user:${closedId}`;
  for (const move of await listWaitingClosings(tx, owner, subject.agents, moveId)) await cancelOpen(tx, context, move, 'replaced');
  const closedPerson = userId === null ? wallet : closedId;
  await context.events.append(tx, [
    ...subject.agents.map((id) => ({ type: 'agent.closed', subjectId: id, data: {} })),
    ...(closedPerson === null ? [] : [{ type: 'account.closed', subjectId: closedPerson, data: {} }]),
  ]);
  reachCrashPoint('closing.before_commit');
  return { status: 'closed' as const, closed_at: toWireTime(now), closed_agents: [...subject.agents] };
}
