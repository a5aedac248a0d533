/** Ends a connection: its tokens are refused from the next call on, and the agents it registered stop. */
import { type AgentId, type ConnectionEventData, MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { endTokensOfConnection } from '../../../../access/order-tokens-repository.ts';
import type { Tx } from '../../../../platform/db/database.ts';
import type { EventReader } from '../../../../platform/events/event-log.ts';
import { keepAgentsOf, resumeAgents, stopAgentsOf } from '../../../agents/index.ts';
import type { ConnectionsContext } from '../connections-context.ts';
import { dropRecordsOf } from '../oauth-repository.ts';
import { peopleOf } from '../people.ts';
import { lockConnection, markRevoked } from '../repository.ts';

export const CONNECTIONS_PAGE = '/account/connections';

export function revokeConnection(context: ConnectionsContext): HandlersOf<'connections'>['revoke'] {
  return async ({ id, keep_agents: kept }, call) =>
    await call.commit(async (tx) => {
      const held = await lockConnection(tx, id, peopleOf(call.caller));
      if (held === undefined) throw new MarketError('connection_not_found');
      if (kept !== undefined) await keep(tx, context, held.id, kept === 'true' ? 'all' : kept.split(',').map((one) => one.trim()));
      const stopped = await endConnection(tx, context, held.id, 'person');
      return { data: { id: held.id, revoked: true, stopped_agents: stopped } };
    });
}

async function keep(tx: Tx, context: ConnectionsContext, connectionId: string, only: 'all' | readonly string[]): Promise<void> {
  await resumeAgents(tx, context, { connectionId, only, withEndpoint: false });
  await keepAgentsOf(tx, connectionId, only);
}

/** Returns the agents that stopped with the connection. Ending it twice changes nothing. */
export async function endConnection(
  tx: Tx,
  context: Pick<ConnectionsContext, 'events' | 'clock'>,
  id: string,
  reason: ConnectionEventData['connection.revoked']['reason'],
): Promise<AgentId[]> {
  const ended = await markRevoked(tx, id);
  await dropRecordsOf(tx, id);
  if (ended === undefined) return [];
  await endTokensOfConnection(tx, ended.id);
  // The replacing connection takes the agents over.
  const stopped = reason === 'replaced' ? [] : await stopAgentsOf(tx, context, ended.id);
  const data: ConnectionEventData['connection.revoked'] = {
    connection_id: ended.id,
    client_name: ended.clientName,
    reason,
    stopped_agents: stopped.map(({ name }) => name),
  };
  const about = { owner: ended.person, link: CONNECTIONS_PAGE };
  await context.events.append(tx, [
    { type: 'connection.revoked', subjectId: ended.id, readers: [ended.person as EventReader], data, context: about },
  ]);
  return stopped.map(({ id: agentId }) => agentId);
}
