/** Checks that PostgreSQL accepts writes, by writing a temporary page, and that nobody locks our tables. */
import pg from 'pg';

const PATIENCE_MS = 3_000;
const NO_PRIVILEGE = '42501';
const REASONS: Readonly<Record<string, string>> = {
  '25006': 'read-only',
  '53100': 'its disk is full',
  '53300': 'out of connections',
  '55P03': 'a table is locked',
};
/** Shorter than requests wait, so a table that becomes free for them is no outage. */
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
 * Writes a page and commits: both fail on a full disk. Updating an existing row would only reuse its page. Takes the lock that every write
 * takes, which waits only for locks that exclude writes. All in one message, which is one transaction.
 */
async function writeNothing(pool: pg.Pool): Promise<string | undefined> {
  try {
    const tables = await listTables(pool);
    const lock = tables.length === 0 ? '' : `lock table ${tables.join(', ')} in row exclusive mode; `;
    await pool.query(`set local lock_timeout = ${LOCK_WAIT_MS}; ${lock}create temp table write_probe on commit drop as select 1`);
    return undefined;
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
    // An operator may forbid temporary tables. Then the answer itself is all we know.
    return code === NO_PRIVILEGE ? undefined : (REASONS[code] ?? 'not reachable');
  }
}

/** Read each time, because a newer process may have added or removed tables. */
async function listTables(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and pg_get_userbyid(relowner) = current_user order by relname`,
  );
  return rows.map(({ name }) => name);
}
