/** The SQL of signatures that calls have shown. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Returns the hash of the call that showed the signature first. */
export async function noteSignature(
  db: Db,
  { digest, callHash, expiresAt }: { readonly digest: Buffer; readonly callHash: Buffer; readonly expiresAt: Date },
): Promise<Buffer> {
  const { rows } = await sql<{ callHash: Buffer }>`
    insert into seen_signatures as seen (digest, call_hash, expires_at) values (${digest}, ${callHash}, ${expiresAt})
    on conflict (digest) do update set expires_at = greatest(seen.expires_at, excluded.expires_at)
    returning call_hash as "callHash"`.execute(db);
  return rows[0]?.callHash ?? callHash;
}

/** False when the signature has spent another transfer. A sign-in message has no row: its nonce is spent already. */
export async function noteTransfer(db: Db, digest: Buffer, transfer: string): Promise<boolean> {
  const { rows } = await sql<{ isSame: boolean }>`
    update seen_signatures set transfer = coalesce(transfer, ${transfer}) where digest = ${digest} returning transfer = ${transfer} as "isSame"`.execute(
    db,
  );
  return rows[0]?.isSame ?? true;
}
