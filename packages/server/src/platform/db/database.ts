/** Access to PostgreSQL: one pool, Kysely on top, and transactions that are retried after deadlocks. */
import { CamelCasePlugin, type Compilable, type CompiledQuery, Kysely, type QueryResult, type UnknownRow } from 'kysely';
import pg from 'pg';
import type { Db, Tx } from './handles.ts';
import { type BeginTransaction, createJoiner } from './join-transactions.ts';
import { collectLastWrites, performLastWrites } from './last-writes.ts';
import { PipelinedDialect, postpone } from './pipelined-driver.ts';
import type { Schema } from './schema.generated.ts';
import { beginSession, CONNECT_LIMIT_MS } from './session-limits.ts';
import { createStatementNames, isStalePlan } from './statement-names.ts';

export type { Db, Tx };

export interface Database {
  readonly db: Db;
  readonly pool: pg.Pool;
  /** Runs `work` in one transaction, and again from the start when PostgreSQL asks for a retry. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * As `transaction`, but concurrent work shares one transaction. Only for work that reads and inserts: its locks stay until the others are
   * done.
   */
  joinTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly connection:
    | { readonly connectionString: string }
    | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };
  readonly poolSize: number;
  readonly onError: (error: Error) => void;
}

/** `maintainNestedObjectKeys`: keys inside jsonb columns stay as they were written. */
const camelCase = new CamelCasePlugin({ maintainNestedObjectKeys: true });

const INT8 = 20;
const INT8_ARRAY = 1016;

export function openDatabase({ connection, poolSize, onError }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    application_name: 'market',
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    onConnect: beginSession,
    types: { getTypeParser: exactIntegers },
    pipeline: true,
  });
  // Without a listener, an idle connection that breaks (server restart) would end the process.
  let closing = false;
  const report = (error: Error): void => {
    if (!closing) onError(error);
  };
  pool.on('error', report);
  // The same for a connection that breaks inside a transaction, between two statements; the next statement then fails.
  pool.on('connect', (client) => void client.on('error', report));
  const db = new Kysely<Schema>({ dialect: new PipelinedDialect(pool, createStatementNames()), plugins: [camelCase] });

  const begin: BeginTransaction = (work) => retryConflicts(() => db.transaction().execute(work));
  const alone: BeginTransaction = (work) =>
    begin(async (tx) => {
      const { result, writes } = await collectLastWrites(tx, work);
      await performLastWrites(tx, [writes]);
      return result;
    });

  return {
    db,
    pool,
    transaction: alone,
    joinTransaction: createJoiner({ begin, alone, isRetryable }),
    close() {
      closing = true;
      return db.destroy();
    },
  };
}

/** True when `error` comes from the trigger `refuse_closed_agent`: a closed agent would have taken part in something new. */
export function isClosedAgent(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23514' && error.constraint === 'closed_agent';
}

/** Sends the query with the next statement whose result is needed, or with the commit. Its failure ends the transaction. */
export async function defer(tx: Tx, query: Compilable): Promise<void> {
  await tx.executeQuery(postpone(query.compile()));
}

type Query<R> = Compilable<R> | CompiledQuery<R>;

function compiled<R>(query: Query<R>): CompiledQuery<R> {
  return 'compile' in query ? query.compile() : query;
}

/** Runs two reads in one round trip. */
export async function readTogether<A, B>(db: Db, one: Query<A>, other: Query<B>): Promise<[A[], B[]]> {
  const [query, next] = [compiled(one), compiled(other)];
  if (!db.isTransaction) {
    const [first, second] = await Promise.all([db.executeQuery(query), db.executeQuery(next)]);
    return [first.rows, second.rows];
  }
  let result: QueryResult<unknown> = { rows: [] };
  await db.executeQuery(postpone(query, (answer) => (result = answer)));
  const { rows } = await db.executeQuery(next);
  const { rows: first } = await camelCase.transformResult({ result: result as QueryResult<UnknownRow>, queryId: query.queryId });
  return [first as A[], rows];
}

/** 64-bit integers contain money, so they become bigint and are never rounded to a double. */
const exactIntegers: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === INT8) return BigInt;
  if (oid === INT8_ARRAY) throw new Error('arrays of 64-bit integers are not used in this schema');
  return pg.types.getTypeParser(oid, format as 'text');
};

const MAX_TRIES = 5;
const RETRYABLE = new Set(['40001', '40P01']);

async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= MAX_TRIES || !isRetryable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * 10 + Math.random() * 20));
    }
  }
}

/** A stale plan fails only once: the retry uses a new statement name. */
function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(postgresCode(error) ?? '') || isStalePlan(error);
}

function postgresCode(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** True when `error` is a violation of this unique index or constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint;
}
