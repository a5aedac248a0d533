/**
 * Moves stored secrets from former master keys to the current one, row by row, while the service runs. A row is written only if it has not
 * changed since it was read. Each owner of sealed columns describes them as SealedColumn.
 */
import type pg from 'pg';
import { type SecretBox, SecretUnreadableError } from './secret-box.ts';

export interface SealedColumn {
  readonly table: string;
  /** Text columns that identify a row. */
  readonly keys: readonly string[];
  readonly column: string;
  /** The key of a JSON column that contains the sealed text. */
  readonly jsonKey?: string;
  /** The context that sealed the text; undefined for rows without a secret. */
  contextOf(row: Readonly<Record<string, string>>): string | undefined;
  /** Further columns that `contextOf` needs. */
  readonly needs?: readonly string[];
  /** Values whose keyed hashes find the secret. The hashes are made anew, because otherwise the former key could never be removed. */
  lookupsOf?(plaintext: string): readonly Lookup[];
}

interface Lookup {
  readonly table: string;
  readonly column: string;
  readonly value: string;
}

export interface ResealReport {
  /** Number of moved rows, per table and column. */
  readonly resealed: Readonly<Record<string, number>>;
  /** Rows that no configured key opens. */
  readonly unreadable: readonly string[];
}

const ROWS_PER_ROUND = 500;

export async function resealAll(pool: pg.Pool, secrets: SecretBox, columns: readonly SealedColumn[]): Promise<ResealReport> {
  const resealed: Record<string, number> = {};
  const unreadable: string[] = [];
  for (const target of columns) {
    const name = `${target.table}.${target.column}`;
    resealed[name] = 0;
    for (let after: readonly string[] | undefined; ; ) {
      const rows = await listFormer(pool, secrets, target, after);
      for (const row of rows) {
        const moved = await resealRow(pool, secrets, target, row);
        if (moved === 'unreadable') unreadable.push(`${name} of ${target.keys.map((key) => row[key]).join('/')}`);
        else if (moved) resealed[name] += 1;
      }
      const last = rows.at(-1);
      if (last === undefined) break;
      after = target.keys.map((key) => last[key] ?? '');
    }
  }
  return { resealed, unreadable };
}

type Row = Readonly<Record<string, string>>;

async function listFormer(
  pool: pg.Pool,
  secrets: SecretBox,
  target: SealedColumn,
  after: readonly string[] | undefined,
): Promise<readonly Row[]> {
  const sealed = expressionOf(target);
  const keys = target.keys.map((key) => `${key}::text`);
  const columns = [...target.keys, ...(target.needs ?? [])].map((name) => `${name}::text as ${name}`);
  const rest = after === undefined ? '' : `and (${keys.join(', ')}) > (${target.keys.map((_, index) => `$${index + 2}`).join(', ')})`;
  const { rows } = await pool.query<Row>(
    `select ${columns.join(', ')}, ${sealed} as sealed from ${target.table}
     where ${sealed} is not null and left(${sealed}, length($1)) <> $1 ${rest} order by ${keys.join(', ')} limit ${ROWS_PER_ROUND}`,
    [secrets.currentPrefix, ...(after ?? [])],
  );
  return rows;
}

async function resealRow(pool: pg.Pool, secrets: SecretBox, target: SealedColumn, row: Row): Promise<boolean | 'unreadable'> {
  const context = target.contextOf(row);
  const sealed = row['sealed'];
  if (context === undefined || sealed === undefined) return false;
  let [next, plaintext] = ['', ''];
  try {
    [next, plaintext] = [secrets.rewrap(sealed, context), secrets.open(sealed, context)];
  } catch (error) {
    if (error instanceof SecretUnreadableError) return 'unreadable';
    throw error;
  }
  for (const lookup of target.lookupsOf?.(plaintext) ?? []) await rehash(pool, secrets, lookup);
  const set = target.jsonKey === undefined ? '$1' : `jsonb_set(${target.column}, '{${target.jsonKey}}', to_jsonb($1::text))`;
  const matches = target.keys.map((key, index) => `${key}::text = $${index + 3}`).join(' and ');
  const { rowCount } = await pool.query(
    `update ${target.table} set ${target.column} = ${set} where ${matches} and ${expressionOf(target)} = $2`,
    [next, sealed, ...target.keys.map((key) => row[key])],
  );
  return rowCount === 1;
}

/** Call it before the row itself is written: a row under the current key is never read again. */
async function rehash(pool: pg.Pool, secrets: SecretBox, lookup: Lookup): Promise<void> {
  const [current, ...former] = secrets.lookupHashes(lookup.value);
  await pool.query(`update ${lookup.table} set ${lookup.column} = $1 where ${lookup.column} = any($2)`, [current, former]);
}

function expressionOf({ column, jsonKey }: SealedColumn): string {
  return jsonKey === undefined ? column : `(${column}->>'${jsonKey}')`;
}
