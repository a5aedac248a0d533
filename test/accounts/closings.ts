/** Helpers for tests of closings: they read the kinds in a refusal, and search the database. */
import type { Envelope, Reply } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';

export const kindsIn = (reply: Reply): string[] =>
  [...new Set((reply.body['data'].open as Envelope[]).map(({ kind }) => String(kind)))].sort();

/** All rows that hold the text, as `table: row`. */
export async function rowsWith({ database }: Pick<TestMarket, 'database'>, text: string): Promise<string[]> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.pool.query(`select t::text as row from "${name}" t where strpos(lower(t::text), lower($1)) > 0`, [
      text,
    ]);
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}
