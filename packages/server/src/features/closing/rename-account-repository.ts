/** The account becomes another one that nobody can sign in to: its id at the identity provider goes, and records stay together. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { columnsWith } from './personal-columns.ts';

/** A new row, because others point to it by its id. */
export async function replaceUser(tx: Tx, userId: string, closedId: string, now: Date): Promise<void> {
  await sql`insert into users (id, username, closed_at, created_at, updated_at)
    select ${closedId}, ${closedId}, ${now}, created_at, ${now} from users where id = ${userId}`.execute(tx);
  // Sign-ins gave the handle to agents of linked wallets. They may stay, as the wallet's.
  await sql`update agents a set twitter_username = null, twitter_shown = false from users u
    where u.id = ${userId} and a.twitter_username = u.twitter_username and coalesce(a.owner_user_id, u.id) = u.id`.execute(tx);
  await sql`delete from user_wallets where user_id = ${userId}`.execute(tx);
  // Whoever signs in again at the provider gets no wallet back that parted from the account.
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
  await sql`delete from users where id = ${userId}`.execute(tx);
}
