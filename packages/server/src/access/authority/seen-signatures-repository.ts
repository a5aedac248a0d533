/** The SQL of signatures that calls have shown. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Stands where a transfer would: a signature that an address carried spends none. */
const IN_ADDRESS = 'in an address';

interface Sighting {
  readonly digest: Buffer;
  readonly callHash: Buffer;
  readonly expiresAt: Date;
  readonly isInAddress: boolean;
}

/** Returns the hash of the call that showed the signature first. */
export async function noteSignature(db: Db, { digest, callHash, expiresAt, isInAddress }: Sighting): Promise<Buffer> {
  const { rows } = await sql<{ callHash: Buffer }>`
    insert into seen_signatures as seen (digest, call_hash, expires_at, transfer)
    values (${digest}, ${callHash}, ${expiresAt}, ${isInAddress ? IN_ADDRESS : null})
    on conflict (digest) do update set expires_at = greatest(seen.expires_at, excluded.expires_at),
      transfer = coalesce(seen.transfer, excluded.transfer)
    returning call_hash as "callHash"`.execute(db);
  return rows[0]?.callHash ?? callHash;
}

/** False when the signature has spent another transfer, or stood in an address. A sign-in message has no row: its nonce is spent already. */
export async function noteTransfer(db: Db, digest: Buffer, transfer: string): Promise<boolean> {
  const { rows } = await sql<{ isSame: boolean }>`
    update seen_signatures set transfer = coalesce(transfer, ${transfer}) where digest = ${digest} returning transfer = ${transfer} as "isSame"`.execute(
    db,
  );
  return rows[0]?.isSame ?? true;
}

/** As `noteTransfer`, for a custody signature, which no call has noted. It is good for five minutes. */
export async function noteCustodyTransfer(db: Db, digest: Buffer, transfer: string): Promise<boolean> {
  const { rows } = await sql<{ isSame: boolean }>`
    insert into seen_signatures as seen (digest, call_hash, expires_at, transfer)
    values (${digest}, ${digest}, clock_timestamp() + interval '6 minutes', ${transfer})
    on conflict (digest) do update set transfer = coalesce(seen.transfer, excluded.transfer) returning transfer = ${transfer} as "isSame"`.execute(
    db,
  );
  return rows[0]?.isSame ?? false;
}
