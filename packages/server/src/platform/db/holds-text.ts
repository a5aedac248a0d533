/** The filter `q` of lists: matches part of a text, case-insensitively. */
import { type RawBuilder, sql } from 'kysely';

/** Separates the columns. The contract drops control characters from `q`, so no match spans two columns. */
const BETWEEN = '\u0001';

/**
 * True if one of the columns contains the text. `columns` lists expressions of any type; each may be null. Name only columns that the
 * caller sees in the answer, because others could be guessed bit by bit. Without a text every row matches.
 */
export function holdsText(q: string | undefined, columns: RawBuilder<unknown>): RawBuilder<boolean> {
  if (q === undefined || q === '') return sql<boolean>`true`;
  return sql<boolean>`(concat_ws(${sql.lit(BETWEEN)}, ${columns}) ilike ${`%${q.replace(/[\\%_]/g, '\\$&')}%`})`;
}
