/** The SQL of credential changes. Triggers write them (migration 0054). */
import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

/** Channel that is notified with the subject when a transaction that changed a credential commits. */
export const CREDENTIALS_CHANNEL = 'market_credentials';

export interface CredentialChange {
  readonly id: bigint;
  readonly subject: string;
}

export async function listRecentChanges(db: Db, seconds: number): Promise<CredentialChange[]> {
  const { rows } = await sql<CredentialChange>`
    select id, subject from credential_changes where changed_at > clock_timestamp() - make_interval(secs => ${seconds})`.execute(db);
  return rows;
}
