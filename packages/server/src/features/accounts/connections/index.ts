/** Connected programs: what people allow them through OAuth, and the storage of the authorization server. */
import type { HandlersOf } from '../../../access/call.ts';
import { revokeConnection } from './commands/revoke-connection.ts';
import { changeConnection } from './commands/update-connection.ts';
import type { ConnectionsContext } from './connections-context.ts';
import { peopleOf } from './people.ts';
import { presentConnections } from './present.ts';
import { listConnections } from './repository.ts';

export function connectionHandlers(context: ConnectionsContext): HandlersOf<'connections'> {
  const { db } = context.database;
  return {
    async list(_input, { caller }) {
      return { data: await presentConnections(db, context, await listConnections(db, peopleOf(caller))) };
    },
    update: changeConnection(context),
    revoke: revokeConnection(context),
  };
}

export { findEarlier, isReplaced, isShared, makeConnection } from './commands/make-connection.ts';
export { endConnection } from './commands/revoke-connection.ts';
export type { ConnectionsContext } from './connections-context.ts';
export { decideConsent } from './decide-consent.ts';
export { endTokensOfAllConnections } from './end-all-tokens.ts';
export { connectionJobs } from './forget-connections.ts';
export { asPerson, personOf } from './people.ts';
export { providerStorage } from './provider-storage.ts';
export type { NamedConnection } from './repository.ts';
export { adoptAgent, listConnections, wasConnected } from './repository.ts';
export { createConnectionResolver } from './resolve-connection.ts';
export { sealedConnectionColumns } from './sealed-columns.ts';
export { openSigningKey } from './signing-key.ts';
