/** Every row of the database as one fingerprint per table: equal fingerprints mean that nothing changed. */
import type { TestMarket } from './market.ts';

/** Tables that any request may write without an effect on anybody. */
const BOOKKEEPING = [
  'rate_limit_windows',
  'agent_presence',
  'jobs',
  'idempotency_keys',
  'spent_signatures',
  'seen_signatures',
  'addressed_signatures',
  'wallet_proofs',
  'users',
  'user_wallets',
];

/** Background jobs write these. */
const WATCHERS = ['chain_cursors', 'outflow_cursors'];

export async function fingerprintTables({ database }: Pick<TestMarket, 'database'>): Promise<Record<string, string>> {
  const tables = await database.pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and not tablename = any($1) order by 1`,
    [[...BOOKKEEPING, ...WATCHERS]],
  );
  const prints = tables.rows.map(
    ({ name }) => `select '${name}' as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as print from "${name}" t`,
  );
  const { rows } = await database.pool.query<{ name: string; print: string }>(prints.join(' union all '));
  return Object.fromEntries(rows.map(({ name, print }) => [name, print]));
}
