/** Checks that PostgreSQL still accepts writes, by writing a temporary page, and that nobody keeps us from our tables. */
import pg from 'pg';

const PATIENCE_MS = 3_000;
const NO_PRIVILEGE = '42501';
const REASONS: Readonly<Record<string, string>> = {
  '25006': 'read-only',
  '53100': 'its disk is full',
  '53300': 'out of connections',
  '55P03': 'a table is locked',
};
/** Shorter than what requests wait: a table that was free meanwhile is no outage. */
const LOCK_WAIT_MS = 1_500;

/** Why the database is unusable now; undefined when it works. */
export async function probeDatabase(pool: pg.Pool): Promise<string | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, PATIENCE_MS, 'does not answer');
  try {
    return await Promise.race([late, writeNothing(pool)]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A page and a commit: both fail on a full disk. Updating a row we have would only reuse its page. The lock is the one every write takes;
 * it waits only for locks that keep writes out. All in one message, which is one transaction.
 */
async function writeNothing(pool: pg.Pool): Promise<string | undefined> {
  try {
    const tables = await listTables(pool);
    const lock = tables.length === 0 ? '' : `lock table ${tables.join(', ')} in row exclusive mode; `;
    await pool.query(`set local lock_timeout = ${LOCK_WAIT_MS}; ${lock}create temp table write_probe on commit drop as select 1`);
    return undefined;
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
    // An operator may forbid temporary tables. That the server answers is then all we know.
    return code === NO_PRIVILEGE ? undefined : (REASONS[code] ?? 'not reachable');
  }
}

/** Every time anew: a newer process may have added one, or removed it. */
async function listTables(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and pg_get_userbyid(relowner) = current_user order by relname`,
  );
  return rows.map(({ name }) => name);
}
