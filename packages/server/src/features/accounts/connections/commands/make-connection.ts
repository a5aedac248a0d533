/** Records that a person allowed a program to act for them. */
import { type AgentId, type ConnectionEventData, type ConnectionId, connectionLimits, MarketError, type Scope } from '@market/contract';
import type { Caller, Person } from '../../../../access/caller.ts';
import { storedNetworks } from '../../../../access/proven-networks.ts';
import type { Db, Tx } from '../../../../platform/db/database.ts';
import type { EventReader } from '../../../../platform/events/event-log.ts';
import { newId } from '../../../../platform/random.ts';
import { handOverAgents, resumeAgents } from '../../../agents/index.ts';
import { ensureUser } from '../../identity/index.ts';
import type { ConnectionsContext } from '../connections-context.ts';
import { decideConsent } from '../decide-consent.ts';
import { keepClient } from '../oauth-repository.ts';
import { asPerson, personOf } from '../people.ts';
import { countLive, insertConnection, listConnectionsOf, type NamedConnection, requireProgram } from '../repository.ts';
import { CONNECTIONS_PAGE, endConnection } from './revoke-connection.ts';
import { requireOwnAgent, setLimit } from './update-connection.ts';

interface AllowedProgram {
  readonly clientId: string;
  readonly clientName: string;
  readonly clientUri: string | null;
  readonly redirectHost: string;
  readonly scopes: readonly Scope[];
  readonly agentId: AgentId | null;
  readonly dailyLimit: string | number | null;
}

export interface Consent {
  /** Id of the pending consent. */
  readonly uid: string;
  readonly caller: Caller;
  readonly program: AllowedProgram;
}

/** Stores decision and connection and ends the connection that it replaces, in one transaction. Undefined: the consent was decided before. */
export async function makeConnection(context: ConnectionsContext, { uid, caller, program }: Consent): Promise<ConnectionId | undefined> {
  const { database, clock } = context;
  const person = personOf(caller);
  if (person === undefined) throw new MarketError('unauthenticated');
  const { user, wallet } = asPerson(caller);
  const now = clock.now();
  const id = newId('conn', now);
  const { clientId, clientName, clientUri, redirectHost, agentId, dailyLimit } = program;
  const scopes = [...program.scopes];
  return await database.transaction(async (tx) => {
    // The tokens get the scopes that the person ticked, not those that were requested.
    const result = { login: { accountId: id, remember: false }, consent: { grantId: id } };
    if (!(await decideConsent(tx, context, uid, { result, scope: scopes.join(' ') }))) return undefined;
    if (user !== undefined) await ensureUser(tx, user.identity, now);
    const programId = await requireProgram(tx, { id: newId('prog', now), person, clientId });
    const replaced = await replaceEarlier(tx, context, person, clientId);
    // Check the agent only now, because `replaceEarlier` brings back agents that a restore paused.
    if (agentId !== null) await requireOwnAgent(tx, asPerson(caller), agentId);
    if ((await countLive(tx, person)) >= connectionLimits.mostPerPerson) throw new MarketError('too_many_connections');
    await insertConnection(tx, {
      id,
      person,
      walletChain: wallet?.chain ?? null,
      provenOn: storedNetworks(wallet?.provenOn),
      clientId,
      programId,
      clientName,
      clientUri,
      redirectHost,
      scopes,
      agentId,
      expiresAt: new Date(clock.realNow().getTime() + connectionLimits.connectionDays * 86_400_000),
    });
    await keepClient(tx, clientId, connectionLimits.usedClientDays);
    for (const earlier of replaced) await handOverAgents(tx, earlier, id);
    // When a connection is replaced, the page showed its limit, so an empty field removes it. Otherwise an empty field keeps the limit.
    if ((replaced.length > 0 && !isShared(clientId)) || dailyLimit !== null) await setLimit(tx, context, programId, dailyLimit);
    await announce(tx, context, { id, person, clientName, redirectHost, scopes, agentId });
    return id;
  });
}

/** The earlier connection of the same person and program, if there is one. */
export async function findEarlier(db: Db, caller: Caller, clientId: string): Promise<NamedConnection | undefined> {
  const person = personOf(caller);
  return person === undefined ? undefined : (await listConnectionsOf(db, person, clientId))[0];
}

/**
 * A program that registered itself has one connection per person: a new consent replaces the earlier one and takes over its agents. All
 * installations of a program with a metadata document share one id, so their connections stay unless a restore ended their tokens. Agents
 * that the restore paused come back. Those of a shared program lose their webhooks, because another installation may have asked.
 */
async function replaceEarlier(tx: Tx, context: ConnectionsContext, person: Person, clientId: string): Promise<ConnectionId[]> {
  const replaced = (await listConnectionsOf(tx, person, clientId)).filter(isReplaced);
  for (const { id } of replaced) {
    await endConnection(tx, context, id, 'replaced');
    await resumeAgents(tx, context, { connectionId: id, only: 'all', withEndpoint: !isShared(clientId) });
  }
  return replaced.map(({ id }) => id);
}

/** True if a new consent to the program ends this connection. */
export function isReplaced({ clientId, tokensEndedAt }: NamedConnection): boolean {
  return !isShared(clientId) || tokensEndedAt !== null;
}

export function isShared(clientId: string): boolean {
  return clientId.startsWith('https://');
}

async function announce(
  tx: Tx,
  { events }: ConnectionsContext,
  made: Pick<AllowedProgram, 'clientName' | 'redirectHost' | 'agentId'> & { id: ConnectionId; person: Person; scopes: string[] },
): Promise<void> {
  const { id, person, clientName, redirectHost, scopes, agentId } = made;
  const data: ConnectionEventData['connection.made'] = {
    connection_id: id,
    client_name: clientName,
    redirect_host: redirectHost,
    scopes,
    agent_id: agentId,
  };
  const context = { owner: person, link: CONNECTIONS_PAGE };
  await events.append(tx, [{ type: 'connection.made', subjectId: id, readers: [person as EventReader], data, context }]);
}
