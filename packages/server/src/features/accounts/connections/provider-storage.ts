/**
 * Storage of the authorization server's library. Codes, refresh tokens and pending consents are sealed records; a grant is a
 * connection; registered programs have a table of their own. Sign-in sessions of the library are not stored: the site has its own.
 */
import { randomUUID } from 'node:crypto';
import { type ConnectionEventData, connectionLimits } from '@market/contract';
import type { SealedColumn } from '../../../platform/secrets/reseal.ts';
import { endConnection } from './commands/revoke-connection.ts';
import type { ConnectionsContext } from './connections-context.ts';
import * as oauth from './oauth-repository.ts';
import { findLive } from './repository.ts';

type Payload = Record<string, unknown>;

const CLIENT_ID = /^[\x21-\x7e]{1,2048}$/;

/** The adapter interface that the library calls. */
export interface ProviderTable {
  upsert(id: string, payload: Payload, expiresIn: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<undefined>;
  findByUserCode(code: string): Promise<undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(id: string): Promise<void>;
}

export interface ProviderStorageOptions {
  /** Audience of all tokens. */
  readonly resource: string;
  /** Creates the error for a code or refresh token that was used before. */
  readonly reused: () => Error;
  /** The reason why the library ends a connection in the current request. */
  readonly reason: () => ConnectionEventData['connection.revoked']['reason'];
}

const nothing: ProviderTable = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

export function providerStorage(context: ConnectionsContext, options: ProviderStorageOptions): (kind: string) => ProviderTable {
  return (kind) => {
    if (kind === 'Session') return nothing;
    if (kind === 'Client') return clients(context);
    if (kind === 'Grant') return grants(context, options);
    return records(context, kind, options);
  };
}

function clients({ database: { db } }: ConnectionsContext): ProviderTable {
  return {
    ...nothing,
    // The id comes from strangers, and PostgreSQL refuses a NUL character.
    find: async (id) => (CLIENT_ID.test(id) ? ((await oauth.findClient(db, id)) as Payload | undefined) : undefined),
    upsert: (id, payload) => oauth.saveClient(db, id, JSON.stringify(payload), connectionLimits.unusedClientHours),
  };
}

function grants(context: ConnectionsContext, { resource, reason }: ProviderStorageOptions): ProviderTable {
  const { db, transaction } = context.database;
  return {
    ...nothing,
    async find(id) {
      const row = await findLive(db, id);
      if (row === undefined) return undefined;
      const scope = row.scopes.join(' ');
      return {
        jti: row.id,
        kind: 'Grant',
        iat: secondsOf(row.createdAt),
        exp: secondsOf(row.expiresAt),
        // Programs see this as `sub`: it names the connection, not the person.
        accountId: row.id,
        clientId: row.clientId,
        resources: { [resource]: scope },
        openid: { scope },
      };
    },
    async destroy(id) {
      await transaction((tx) => endConnection(tx, context, id, reason()));
    },
  };
}

function records(context: ConnectionsContext, kind: string, { reused }: ProviderStorageOptions): ProviderTable {
  const { database, secrets } = context;
  const { db } = database;
  const hashes = (id: string) => secrets.lookupHashes(lookupOf(kind, id));
  return {
    ...nothing,
    async upsert(id, payload, seconds) {
      const stored = await oauth.findRecord(db, hashes(id));
      const recordId = stored?.id ?? randomUUID();
      const sealed = secrets.seal(JSON.stringify({ ...payload, jti: id, kind }), sealedFor(recordId));
      if (stored !== undefined) return await oauth.replaceRecord(db, recordId, sealed, seconds);
      const [lookupHash = Buffer.alloc(0)] = hashes(id);
      const { grantId: connectionId = null } = payload as { grantId?: string };
      await oauth.insertRecord(db, { id: recordId, kind, lookupHash, sealed, connectionId, seconds });
    },
    async find(id) {
      const stored = await oauth.findRecord(db, hashes(id));
      if (stored === undefined) return undefined;
      const payload = JSON.parse(secrets.open(stored.sealed, sealedFor(stored.id))) as Payload;
      return { ...payload, ...(stored.consumedAt !== null && { consumed: secondsOf(stored.consumedAt) }) };
    },
    /** When two requests use one code or token at the same moment, the second counts as a replay. */
    async consume(id) {
      if (await oauth.consumeRecord(db, hashes(id))) return;
      const payload = await this.find(id);
      const connectionId = payload?.['grantId'];
      if (typeof connectionId === 'string') await database.transaction((tx) => endConnection(tx, context, connectionId, 'misuse'));
      throw reused();
    },
    destroy: (id) => oauth.deleteRecord(db, hashes(id)),
    revokeByGrantId: (id) => oauth.dropRecordsOf(db, id),
  };
}

function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

export function lookupOf(kind: string, id: string): string {
  return `oauth ${kind} ${id}`;
}

export function sealedFor(recordId: string): string {
  return `oauth_records/${recordId}`;
}

export const sealedRecords: SealedColumn = {
  table: 'oauth_records',
  keys: ['id'],
  column: 'sealed',
  contextOf: ({ id = '' }) => sealedFor(id),
  lookupsOf(plaintext) {
    const { kind, jti } = JSON.parse(plaintext) as { readonly kind: string; readonly jti: string };
    return [{ table: 'oauth_records', column: 'lookup_hash', value: lookupOf(kind, jti) }];
  },
};
