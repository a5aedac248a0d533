/** The SQL of signatures that calls have shown. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

interface Sighting {
  readonly digest: Buffer;
  readonly callHash: Buffer;
  readonly expiresAt: Date;
}

/** Returns the hash of the call that showed the signature first. */
export async function noteSignature(db: Db, { digest, callHash, expiresAt }: Sighting): Promise<Buffer> {
  const { rows } = await sql<{ callHash: Buffer }>`
    insert into seen_signatures as seen (digest, call_hash, expires_at) values (${digest}, ${callHash}, ${expiresAt})
    on conflict (digest) do update set expires_at = greatest(seen.expires_at, excluded.expires_at)
    returning call_hash as "callHash"`.execute(db);
  return rows[0]?.callHash ?? callHash;
}

/** A signature that spends a transfer. */
export interface Spender {
  readonly digest: Buffer;
  /** See `WalletCaller.addressMarks`. */
  readonly marks: readonly Buffer[];
}

/** False when the signature has spent another transfer, or was in a URL. A sign-in message has no row: its nonce is spent already. */
export async function noteTransfer(db: Db, { digest, marks }: Spender, transfer: string): Promise<boolean> {
  const { rows } = await sql<{ isSame: boolean }>`
    with bound as (update seen_signatures set transfer = coalesce(transfer, ${transfer}) where digest = ${digest} and not ${isAddressed(marks)}
      returning transfer = ${transfer} as is_same)
    select coalesce((select is_same from bound), not ${isAddressed(marks)}) as "isSame"`.execute(db);
  return rows[0]?.isSame ?? false;
}

/** As `noteTransfer`, for a custody signature, which has no row yet. It is valid for five minutes. */
export async function noteCustodyTransfer(db: Db, { digest, marks }: Spender, transfer: string): Promise<boolean> {
  const { rows } = await sql<{ isSame: boolean }>`
    insert into seen_signatures as seen (digest, call_hash, expires_at, transfer)
    values (${digest}, ${digest}, clock_timestamp() + interval '6 minutes', ${transfer})
    on conflict (digest) do update set transfer = coalesce(seen.transfer, excluded.transfer)
    returning transfer = ${transfer} and not ${isAddressed(marks)} as "isSame"`.execute(db);
  return rows[0]?.isSame ?? false;
}

function isAddressed(marks: readonly Buffer[]) {
  return sql<boolean>`exists (select 1 from addressed_signatures where digest = any(${sql.val([...marks])}::bytea[]))`;
}

/** The mark of a signature that was in a URL. */
export interface Mark {
  readonly digest: Buffer;
  readonly expiresAt: Date;
}

export async function insertMarks(db: Db, marks: readonly Mark[]): Promise<void> {
  await sql`
    insert into addressed_signatures as known (digest, expires_at)
    select * from unnest(${sql.val(marks.map(({ digest }) => digest))}::bytea[], ${sql.val(marks.map(({ expiresAt }) => expiresAt))}::timestamptz[])
    on conflict (digest) do update set expires_at = greatest(known.expires_at, excluded.expires_at)`.execute(db);
}

export async function hasMark(db: Db, digests: readonly Buffer[]): Promise<boolean> {
  const found = db
    .selectFrom('addressedSignatures')
    .select('digest')
    .where('digest', 'in', [...digests]);
  return digests.length > 0 && (await found.limit(1).executeTakeFirst()) !== undefined;
}
