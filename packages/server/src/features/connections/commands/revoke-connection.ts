/** Ends a connection: its tokens are refused from the next call on. */
import { type ConnectionEventData, MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { EventReader } from '../../../platform/events/event-log.ts';
import type { ConnectionsContext } from '../connections-context.ts';
import { dropRecordsOf } from '../oauth-repository.ts';
import { peopleOf } from '../people.ts';
import { lockConnection, markRevoked } from '../repository.ts';

export const CONNECTIONS_PAGE = '/account/connections';

export function revokeConnection(context: ConnectionsContext): HandlersOf<'connections'>['revoke'] {
  return async ({ id }, call) =>
    await call.commit(async (tx) => {
      const held = await lockConnection(tx, id, peopleOf(call.caller));
      if (held === undefined) throw new MarketError('connection_not_found');
      await endConnection(tx, context, held.id, 'person');
      return { data: { id: held.id, revoked: true } };
    });
}

/** Ending it twice changes nothing. */
export async function endConnection(
  tx: Tx,
  { events }: Pick<ConnectionsContext, 'events'>,
  id: string,
  reason: ConnectionEventData['connection.revoked']['reason'],
): Promise<void> {
  const ended = await markRevoked(tx, id);
  await dropRecordsOf(tx, id);
  if (ended === undefined) return;
  const data: ConnectionEventData['connection.revoked'] = { connection_id: ended.id, client_name: ended.clientName, reason };
  const context = { owner: ended.person, link: CONNECTIONS_PAGE };
  await events.append(tx, [{ type: 'connection.revoked', subjectId: ended.id, readers: [ended.person as EventReader], data, context }]);
}
