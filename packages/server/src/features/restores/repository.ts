/** The SQL of restores: the identity under which the database was last used, and everybody who has powers in it. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

/** False also if the database was never used. */
export async function isSameDatabase(db: Db): Promise<boolean> {
  const { rows } = await sql<{ same: boolean }>`select place = database_place() as same from known_place`.execute(db);
  return rows[0]?.same === true;
}

interface LastUse {
  /** The database was last used under another identity: it was restored. */
  readonly isElsewhere: boolean;
  /** The backup is not older than this market time: every minute, the comparison with the chains records the identity. */
  readonly lastSeenAt: Date;
}

/** Other processes that start wait here until the transaction ends. */
export async function lockLastUse(tx: Tx): Promise<LastUse> {
  // No time limits, which are meant for requests: another process may be ending the powers of everybody.
  await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(tx);
  await sql`insert into known_place (place) values (database_place()) on conflict do nothing`.execute(tx);
  await sql`select from known_place for update`.execute(tx);
  // Ignore rows of a process that ran on in the restored database: they have another identity and say nothing about the backup.
  const { rows } = await sql<LastUse>`
    select place <> database_place() as "isElsewhere", coalesce(
      (select max(c.checked_at) from outflow_cursors c where c.place = k.place or starts_with(c.place, k.place || ' '))
        + (market_now() - clock_timestamp()), noted_at) as "lastSeenAt"
    from known_place k`.execute(tx);
  const [last] = rows;
  if (last === undefined) throw new Error('known_place has one row');
  return last;
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

/**
 * Everybody with an agent, a session, a link or a connection, and both sides of open orders and bounties, once. Call it after deadlines
 * have moved.
 */
export async function listEmpowered(tx: Tx): Promise<readonly Empowered[]> {
  const { rows } = await sql<Empowered>`
    with live as (select person from connections where revoked_at is null and expires_at > clock_timestamp()),
    accounts as (
      select owner_user_id as id from agents where owner_user_id is not null
      union select user_id from user_wallets
      union select substr(person, 6) from live where person like 'user:%'
      union select user_id from orders where user_id is not null and status not in ('completed', 'cancelled')
      union select user_id from bounties where user_id is not null and status = 'open'),
    wallets as (
      select owner_wallet as address from agents where owner_wallet is not null
      union select wallet from sessions where expires_at > market_now()
      union select substr(person, 8) from live where person like 'wallet:%'
      union select client_wallet from orders where user_id is null and client_wallet is not null and status not in ('completed', 'cancelled')
      union select client_wallet from bounties where user_id is null and status = 'open'
      union select payer from payment_claims where contestable_until > market_now())
    select id as "userId", null as "agentId",
           array(select w.address from user_wallets w where w.user_id = accounts.id order by w.linked_at, w.id) as wallets
    from accounts
    union all
    select null, null, array[address] from wallets where not exists (select 1 from user_wallets w where w.address = wallets.address)
    union all
    select null, id, '{}' from agents where owner_user_id is null and owner_wallet is null`.execute(tx);
  return rows;
}
