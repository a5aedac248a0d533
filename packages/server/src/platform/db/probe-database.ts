/** Checks that PostgreSQL still accepts writes, by writing a temporary page. */
import pg from 'pg';

const PATIENCE_MS = 3_000;
const NO_PRIVILEGE = '42501';
const REASONS: Readonly<Record<string, string>> = {
  '25006': 'read-only',
  '53100': 'its disk is full',
  '53300': 'out of connections',
};

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

/** A page and a commit: both fail on a full disk. Updating a row we have would only reuse its page. */
async function writeNothing(pool: pg.Pool): Promise<string | undefined> {
  try {
    await pool.query('create temp table write_probe on commit drop as select 1');
    return undefined;
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
    // An operator may forbid temporary tables. That the server answers is then all we know.
    return code === NO_PRIVILEGE ? undefined : (REASONS[code] ?? 'not reachable');
  }
}
