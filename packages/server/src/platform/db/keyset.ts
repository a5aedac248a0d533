/** Paging that neither skips nor repeats a row while others are inserted: the cursor holds the sort values of the last row seen. */
import { MarketError } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';

export interface SortKey<R> {
  /** The expression to sort by; all have one direction, and none may be null. */
  readonly column: RawBuilder<unknown>;
  /** SQL type to which the cursor's text is cast. */
  readonly type: 'int4' | 'int8' | 'float8' | 'text' | 'timestamptz' | 'bool';
  readonly of: (row: R) => string | number | bigint | boolean | Date;
}

export function cursorAfter<R>(sortName: string, keys: readonly SortKey<R>[], row: R): string {
  const values = keys.map((key) => {
    const value = key.of(row);
    return value instanceof Date ? value.toISOString() : String(value);
  });
  return Buffer.from(JSON.stringify([sortName, ...values])).toString('base64url');
}

/** Cuts a page out of rows that were read with one extra row, which tells whether another page follows. */
export function cutPage<R>(
  rows: readonly R[],
  limit: number,
  sortName: string,
  keys: readonly SortKey<R>[],
): { readonly rows: R[]; readonly nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last !== undefined ? cursorAfter(sortName, keys, last) : null };
}

/** `(a, b, id) < (…)` for descending order, `>` for ascending: the rows after the cursor. */
export function beyondCursor<R>(
  sortName: string,
  keys: readonly SortKey<R>[],
  cursor: string,
  direction: 'asc' | 'desc' = 'desc',
): RawBuilder<boolean> {
  const values = readCursor(cursor);
  if (values.length !== keys.length + 1 || values[0] !== sortName) throw new MarketError('invalid_cursor');
  const columns = sql.join(keys.map((key) => key.column));
  const bounds = sql.join(keys.map((key, index) => castTo(values[index + 1] ?? '', key.type)));
  return direction === 'desc' ? sql<boolean>`(${columns}) < (${bounds})` : sql<boolean>`(${columns}) > (${bounds})`;
}

function readCursor(cursor: string): string[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(values) && values.every((value) => typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed()))
      return values;
  } catch {
    // The cursor cannot be parsed, so it is not ours: refused below.
  }
  throw new MarketError('invalid_cursor');
}

const shapes: Record<SortKey<unknown>['type'], RegExp> = {
  int4: /^-?\d{1,9}$/,
  int8: /^-?\d{1,18}$/,
  float8: /^-?\d{1,15}(\.\d{1,20})?(e-?\d{1,2})?$/,
  text: /^.{0,200}$/s,
  timestamptz: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  bool: /^(true|false)$/,
};

/** JavaScript parses the 30th of February as another day; PostgreSQL refuses it. */
function isRealInstant(value: string): boolean {
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toISOString() === value && date.getUTCFullYear() > 0;
}

function castTo(value: string, type: SortKey<unknown>['type']): RawBuilder<unknown> {
  if (!shapes[type].test(value) || (type === 'timestamptz' && !isRealInstant(value))) throw new MarketError('invalid_cursor');
  return sql`${value}::${sql.raw(type)}`;
}
