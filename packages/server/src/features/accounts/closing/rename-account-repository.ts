/** Replaces the account's id by a new one without sign-in. The id of the identity provider disappears; the records stay together. */
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { dropTwitterHandle } from '../../agents/index.ts';
import { columnsWith } from './personal-columns.ts';

/** Inserts a new user row, moves all references to it, and deletes the old row. */
export async function replaceUser(tx: Tx, userId: string, closedId: string, now: Date): Promise<void> {
  await sql`insert into users (id, username, closed_at, created_at, updated_at)
    select ${closedId}, ${closedId}, ${now}, created_at, ${now} from users where id = ${userId}`.execute(tx);
  await dropTwitterHandle(tx, userId);
  await sql`delete from user_wallets where user_id = ${userId}`.execute(tx);
  // A later sign-in with the same identity must not link wallets again that were unlinked from this account.
  await sql`insert into parted_wallets (hash) select sha256(convert_to(user_id || ' ' || address, 'utf8')) from undone_links
    where user_id = ${userId} on conflict do nothing`.execute(tx);
  await sql`delete from undone_links where user_id = ${userId}`.execute(tx);
  for (const { table, column } of columnsWith('account')) {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${closedId} where ${sql.ref(column)} = ${userId}`.execute(tx);
  }
  for (const { table, column } of columnsWith('principal')) {
    const [from, to] = [`user:${userId}`, `user:${closedId}`];
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${to} where ${sql.ref(column)} = ${from}`.execute(tx);
  }
  for (const { table, column } of columnsWith('principals')) {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = array_replace(${sql.ref(column)}, ${`user:${userId}`}, ${`user:${closedId}`})
      where ${`user:${userId}`} = any(${sql.ref(column)})`.execute(tx);
  }
  const ids = JSON.stringify({ [userId]: closedId, [`user:${userId}`]: `user:${closedId}` });
  for (const { table, column } of columnsWith('ids')) {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = without_person(${sql.ref(column)}, '{}', ${ids}::jsonb)
      where strpos(${sql.ref(column)}::text, ${userId}) > 0`.execute(tx);
  }
  // Notifications about links name the account to its other wallets.
  await sql`update notifications set body = replace(body, ${userId}, ${closedId}) where type like 'wallet_link%' and strpos(body, ${userId}) > 0`.execute(
    tx,
  );
  await sql`delete from users where id = ${userId}`.execute(tx);
}
