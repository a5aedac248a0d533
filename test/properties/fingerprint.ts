/** Tells whether a database has changed between two looks. */
import type { Database } from '../../packages/server/src/platform/db/database.ts';

/** Tables that a refused request may change: counters, queues, used signatures, known wallets, the last use of keys, and reads of jobs. */
const MAY_CHANGE = [
  'rate_limit_windows',
  'spent_signatures',
  'seen_signatures',
  'addressed_signatures',
  'wallet_proofs',
  'jobs',
  'market_clock',
  'agent_presence',
  'treasury_readings',
];

/** The same text until a transaction changes a row. */
export type Fingerprint = () => Promise<string>;

const known = new WeakMap<Database, Promise<Fingerprint>>();

export function fingerprintOf(database: Database): Promise<Fingerprint> {
  const prepared = known.get(database) ?? prepare(database);
  known.set(database, prepared);
  return prepared;
}

/** Reading every table is costly for PostgreSQL. So triggers count written rows, and only a new count causes a reading. */
async function prepare({ pool }: Database): Promise<Fingerprint> {
  const { rows } = await pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> all($1)`,
    [MAY_CHANGE],
  );
  const names = rows.map(({ name }) => name);
  await pool.query(countWrites(names));
  const parts = names.map((name) => `select '${name}', count(*)::int, max(xmin::text::bigint)::text from ${name}`);
  const text = parts.join(' union all ');
  let seen: { readonly writes: string; readonly content: string } | undefined;

  async function readContent(): Promise<string> {
    const client = await pool.connect();
    try {
      // For so many tables PostgreSQL would plan parallel workers, which are slower and return rows in any order.
      await client.query('begin; set local max_parallel_workers_per_gather = 0; set local jit = off');
      const { rows } = await client.query({ name: 'fingerprint', text });
      await client.query('commit');
      return JSON.stringify(rows);
    } finally {
      client.release();
    }
  }

  return async () => {
    const { rows } = await pool.query<{ writes: string }>('select last_value::text as writes from watched.writes');
    const writes = rows[0]?.writes ?? '';
    if (seen?.writes !== writes) seen = { writes, content: await readContent() };
    return seen.content;
  };
}

/** A sequence counts at once and survives a rollback, so it misses no change. */
function countWrites(names: readonly string[]): string {
  return `
    create schema watched;
    create sequence watched.writes;
    create function watched.count_write() returns trigger language plpgsql as
      $$ begin perform nextval('watched.writes'); return null; end $$;
    select nextval('watched.writes');
    ${names
      .map(
        (name) => `
    create trigger zz_watched after insert or update or delete on ${name} for each row execute function watched.count_write();
    create trigger zz_watched_truncate after truncate on ${name} for each statement execute function watched.count_write();`,
      )
      .join('')}`;
}
