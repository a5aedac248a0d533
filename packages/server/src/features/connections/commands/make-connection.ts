/** Records that a person allowed a program to act for them. */
import { type AgentId, type ConnectionEventData, type ConnectionId, connectionLimits, MarketError, type Scope } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import type { EventReader } from '../../../platform/events/event-log.ts';
import { newId } from '../../../platform/random.ts';
import { ensureUser } from '../../identity/index.ts';
import type { ConnectionsContext, Person } from '../connections-context.ts';
import { keepClient } from '../oauth-repository.ts';
import { insertConnection } from '../repository.ts';
import { CONNECTIONS_PAGE } from './revoke-connection.ts';
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

/** The account if one is signed in, else the wallet. */
export function personOf({ user, wallet }: Caller): Person | undefined {
  if (user !== undefined) return `user:${user.id}`;
  return wallet === undefined ? undefined : `wallet:${wallet.address}`;
}

export async function makeConnection(context: ConnectionsContext, caller: Caller, program: AllowedProgram): Promise<ConnectionId> {
  const { database, clock, events, serviceName } = context;
  const person = personOf(caller);
  if (person === undefined) throw new MarketError('unauthenticated');
  const { user, wallet } = caller;
  const now = clock.now();
  const id = newId('conn', now);
  const { clientId, clientName, redirectHost, agentId } = program;
  const scopes = [...program.scopes];
  await database.transaction(async (tx) => {
    if (user !== undefined) await ensureUser(tx, user.identity, now, serviceName);
    if (agentId !== null) await requireOwnAgent(tx, caller, agentId);
    await insertConnection(tx, {
      id,
      person,
      walletChain: user === undefined ? (wallet?.chain ?? null) : null,
      provenOn: user === undefined ? (wallet?.provenOn?.map(({ network, caip2 }) => `${network}=${caip2}`) ?? null) : null,
      clientId,
      clientName,
      clientUri: program.clientUri,
      redirectHost,
      scopes,
      agentId,
      expiresAt: new Date(clock.realNow().getTime() + connectionLimits.connectionDays * 86_400_000),
    });
    await keepClient(tx, clientId, connectionLimits.usedClientDays);
    if (program.dailyLimit !== null) await setLimit(tx, context, id, program.dailyLimit);
    const data: ConnectionEventData['connection.made'] = {
      connection_id: id,
      client_name: clientName,
      redirect_host: redirectHost,
      scopes,
      agent_id: agentId,
    };
    const private_ = { owner: person, link: CONNECTIONS_PAGE };
    await events.append(tx, [{ type: 'connection.made', subjectId: id, readers: [person as EventReader], data, context: private_ }]);
  });
  return id;
}
