/** The SQL of restored books: where they were used last, and who has powers in them. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

/** False also when the books were never used. */
export async function isKnownPlace(db: Db): Promise<boolean> {
  const { rows } = await sql<{ same: boolean }>`select place = database_place() as same from known_place`.execute(db);
  return rows[0]?.same === true;
}

/** True when these books were used in another place before. Other processes that start wait here until the transaction ends. */
export async function lockPlace(tx: Tx): Promise<boolean> {
  // The limits of requests are not meant for this: another process may be ending the powers of everybody.
  await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(tx);
  await sql`insert into known_place (place) values (database_place()) on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ elsewhere: boolean }>`select place <> database_place() as elsewhere from known_place for update`.execute(tx);
  return rows[0]?.elsewhere === true;
}

export async function noteRestore(tx: Tx): Promise<void> {
  await sql`update known_place set place = database_place(), noted_at = market_now(), restored_at = market_now()`.execute(tx);
}

/** An account with its linked wallets, a wallet without an account, or an agent without an owner. */
export interface Empowered {
  readonly userId: string | null;
  /** The oldest link first. */
  readonly wallets: readonly string[];
  readonly agentId: string | null;
}

/** Everybody with an agent, a session, a link or a connection, once. */
export async function listEmpowered(tx: Tx): Promise<readonly Empowered[]> {
  const { rows } = await sql<Empowered>`
    with live as (select person from connections where revoked_at is null and expires_at > clock_timestamp()),
    accounts as (
      select owner_user_id as id from agents where owner_user_id is not null
      union select user_id from user_wallets
      union select substr(person, 6) from live where person like 'user:%'),
    wallets as (
      select owner_wallet as address from agents where owner_wallet is not null
      union select wallet from sessions where expires_at > market_now()
      union select substr(person, 8) from live where person like 'wallet:%')
    select id as "userId", null as "agentId",
           array(select w.address from user_wallets w where w.user_id = accounts.id order by w.linked_at, w.id) as wallets
    from accounts
    union all
    select null, null, array[address] from wallets where not exists (select 1 from user_wallets w where w.address = wallets.address)
    union all
    select null, id, '{}' from agents where owner_user_id is null and owner_wallet is null`.execute(tx);
  return rows;
}
