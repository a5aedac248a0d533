/** The SQL of the authorization server: registered programs, codes and tokens, the signing key. Dated by real time. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

export interface StoredRecord {
  readonly id: string;
  readonly sealed: string;
  readonly consumedAt: Date | null;
}

export async function findRecord(db: Db, hashes: readonly Buffer[]): Promise<StoredRecord | undefined> {
  const { rows } = await sql<StoredRecord>`
    select id, sealed, consumed_at from oauth_records
    where lookup_hash = any(${hashes}::bytea[]) and expires_at > clock_timestamp()`.execute(db);
  return rows[0];
}

export interface NewRecord {
  readonly id: string;
  readonly kind: string;
  readonly lookupHash: Buffer;
  readonly sealed: string;
  readonly connectionId: string | null;
  readonly seconds: number;
}

export async function insertRecord(db: Db, { id, kind, lookupHash, sealed, connectionId, seconds }: NewRecord): Promise<void> {
  await sql`
    insert into oauth_records (id, kind, lookup_hash, sealed, connection_id, expires_at)
    values (${id}, ${kind}, ${lookupHash}, ${sealed}, ${connectionId}, clock_timestamp() + make_interval(secs => ${seconds}))`.execute(db);
}

export async function replaceRecord(db: Db, id: string, sealed: string, seconds: number): Promise<void> {
  await sql`
    update oauth_records set sealed = ${sealed}, expires_at = clock_timestamp() + make_interval(secs => ${seconds}) where id = ${id}`.execute(
    db,
  );
}

/** Locks the record until the transaction ends. */
export async function lockRecord(tx: Tx, hashes: readonly Buffer[]): Promise<StoredRecord | undefined> {
  const { rows } = await sql<StoredRecord>`
    select id, sealed, consumed_at from oauth_records
    where lookup_hash = any(${hashes}::bytea[]) and expires_at > clock_timestamp() for update`.execute(tx);
  return rows[0];
}

export async function rewriteRecord(tx: Tx, id: string, sealed: string): Promise<void> {
  await sql`update oauth_records set sealed = ${sealed} where id = ${id}`.execute(tx);
}

/** False when another request used it first. */
export async function consumeRecord(db: Db, hashes: readonly Buffer[]): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update oauth_records set consumed_at = clock_timestamp()
    where lookup_hash = any(${hashes}::bytea[]) and consumed_at is null`.execute(db);
  return numAffectedRows === 1n;
}

export async function deleteRecord(db: Db, hashes: readonly Buffer[]): Promise<void> {
  await sql`delete from oauth_records where lookup_hash = any(${hashes}::bytea[])`.execute(db);
}

export async function dropRecordsOf(db: Db, connectionId: string): Promise<void> {
  await db.deleteFrom('oauthRecords').where('connectionId', '=', connectionId).execute();
}

/** Deletes all codes, refresh tokens and pending consents. */
export async function dropAllRecords(tx: Tx): Promise<void> {
  await tx.deleteFrom('oauthRecords').execute();
}

export async function findClient(db: Db, id: string): Promise<unknown> {
  const { rows } = await sql<{ metadata: unknown }>`
    select metadata from oauth_clients where id = ${id} and expires_at > clock_timestamp()`.execute(db);
  return rows[0]?.metadata;
}

export async function saveClient(db: Db, id: string, metadata: string, hours: number): Promise<void> {
  await sql`
    insert into oauth_clients (id, metadata, expires_at) values (${id}, ${metadata}, clock_timestamp() + make_interval(hours => ${hours}))
    on conflict (id) do update set metadata = excluded.metadata`.execute(db);
}

/** Prolongs the registration of a connected program. Programs with a metadata document have no row. */
export async function keepClient(tx: Tx, id: string, days: number): Promise<void> {
  await sql`
    update oauth_clients set expires_at = greatest(expires_at, clock_timestamp() + make_interval(days => ${days})) where id = ${id}`.execute(
    tx,
  );
}

export async function findSigningKey(db: Db): Promise<{ readonly id: string; readonly sealedKey: string } | undefined> {
  return await db.selectFrom('oauthSigningKeys').select(['id', 'sealedKey']).orderBy('createdAt').limit(1).executeTakeFirst();
}

/** Serialises processes that start at the same time. */
export async function lockSigningKey(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('oauth-signing-key', 0))`.execute(tx);
}

export async function insertSigningKey(tx: Tx, id: string, sealedKey: string): Promise<void> {
  await tx.insertInto('oauthSigningKeys').values({ id, sealedKey }).execute();
}

export async function forgetExpired(db: Db): Promise<void> {
  await sql`delete from oauth_records where expires_at < clock_timestamp()`.execute(db);
  await sql`delete from oauth_clients where expires_at < clock_timestamp()`.execute(db);
}
