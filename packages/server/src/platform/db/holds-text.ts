/** The filter `q` of lists: a part of a text, whatever its case. */
import { type RawBuilder, sql } from 'kysely';

/** Stands between the columns. The contract drops control characters from `q`, so nothing is found across two columns. */
const BETWEEN = '\u0001';

/**
 * True where one of the columns holds the text. `columns` is a list of expressions of any type, of which each may be null. Name only
 * columns that the caller sees in the answer: any other could be guessed bit by bit. Without a text every row matches.
 */
export function holdsText(q: string | undefined, columns: RawBuilder<unknown>): RawBuilder<boolean> {
  if (q === undefined || q === '') return sql<boolean>`true`;
  return sql<boolean>`(concat_ws(${sql.lit(BETWEEN)}, ${columns}) ilike ${`%${q.replace(/[\\%_]/g, '\\$&')}%`})`;
}
