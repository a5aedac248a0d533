/**
 * The driver under Kysely. It saves round trips in three ways:
 * - A transaction begins with its first statement, in the same round trip.
 * - A deferred statement (`deferred`) is sent with the next statement whose result is needed, or with the commit.
 * - A transaction of one deferred statement is sent alone: a single statement is atomic by itself.
 */
import type { Socket } from 'node:net';
import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import { BEGIN_WITH_LIMITS } from './session-limits.ts';
import { isStalePlan, type StatementNames } from './statement-names.ts';

interface DeferredQuery extends CompiledQuery {
  readonly isDeferred: true;
  readonly onResult?: (result: QueryResult<unknown>) => void;
}

/** The caller gets no result. A failure ends the transaction, so do not defer a statement whose error a caller handles. */
export function deferred(text: string, parameters: readonly unknown[]): CompiledQuery {
  return postpone(CompiledQuery.raw(text, [...parameters]));
}

export function postpone(query: CompiledQuery, onResult?: DeferredQuery['onResult']): CompiledQuery {
  return { ...query, isDeferred: true, ...(onResult && { onResult }) } as DeferredQuery;
}

function isDeferred(query: CompiledQuery): query is DeferredQuery {
  return (query as Partial<DeferredQuery>).isDeferred === true;
}

const NO_RESULT: QueryResult<never> = { rows: [] };
const ROWS_COUNTED = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);
/** A plain read does no harm outside its transaction: its locks end with it. A function may write. */
const CHANGES_NOTHING = /^\s*select (?!\w+\s*\()/i;

type Stage = 'outside' | 'asked for' | 'begun';

class PipelinedConnection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  readonly #names: StatementNames;
  #stage: Stage = 'outside';
  #waiting: DeferredQuery[] = [];
  /** The state of the connection is unknown, so the pool must not reuse it. */
  isBroken = false;

  constructor(client: pg.PoolClient, names: StatementNames) {
    this.client = client;
    this.#names = names;
  }

  begin(): void {
    this.#stage = 'asked for';
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (isDeferred(query) && this.#stage !== 'outside') {
      if (!this.#endsUnsentSavepoint(query)) this.#waiting.push(query);
      return NO_RESULT;
    }
    const begins = this.#stage === 'asked for';
    this.#stage = begins ? 'begun' : this.#stage;
    // If BEGIN failed, a write sent after it would stay.
    const isHarmless = begins && [...this.#waiting, query].every(({ sql }) => CHANGES_NOTHING.test(sql));
    if (begins && !isHarmless) await this.#control(BEGIN_WITH_LIMITS);
    const sent = this.#inOneWrite(() => [
      ...(isHarmless ? [this.#control(BEGIN_WITH_LIMITS)] : []),
      ...this.#sendWaiting(),
      this.#send(query),
    ]);
    return resultOf(await lastOf(sent));
  }

  /**
   * Drops a savepoint that is released before any statement follows it, and what waits in a savepoint that is rolled back. If that was sent
   * and failed, its failure would be thrown at a statement after the savepoint, or at a commit that succeeds.
   */
  #endsUnsentSavepoint({ sql }: CompiledQuery): boolean {
    if (sql.startsWith('rollback to ')) {
      const begin = this.#waiting.findIndex((query) => sql === `rollback to ${query.sql}`);
      // All that waits is inside of a savepoint that was sent.
      this.#waiting.splice(Math.max(begin, 0));
      return begin !== -1;
    }
    if (sql !== `release ${this.#waiting.at(-1)?.sql}`) return false;
    this.#waiting.pop();
    return true;
  }

  async commit(): Promise<void> {
    const isUnsent = this.#stage === 'asked for';
    if (isUnsent && this.#waiting.length <= 1) {
      this.#stage = 'outside';
      return void (await lastOf(this.#sendWaiting()));
    }
    this.#stage = 'begun';
    const sent = this.#inOneWrite(() => [
      ...(isUnsent ? [this.#control(BEGIN_WITH_LIMITS)] : []),
      ...this.#sendWaiting(),
      this.#control('commit'),
    ]);
    this.#stage = 'outside';
    const { command } = (await lastOf(sent)) as pg.QueryResult;
    // PostgreSQL answers COMMIT with ROLLBACK when an earlier statement failed and its error was swallowed.
    if (command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  async rollback(): Promise<void> {
    const stage = this.#stage;
    this.#stage = 'outside';
    this.#waiting = [];
    if (stage !== 'begun') return;
    try {
      await this.#control('rollback');
    } catch (error) {
      this.isBroken = true;
      throw error;
    }
  }

  // biome-ignore lint/correctness/useYield: nothing in this service streams rows.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('this driver streams no rows');
  }

  /** Sends several statements with one system call. */
  #inOneWrite<T>(send: () => T): T {
    const { stream } = (this.client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  #sendWaiting(): Promise<unknown>[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting.map((query) =>
      unheard(
        this.#send(query).then((result) => {
          query.onResult?.(resultOf(result));
          return result;
        }),
      ),
    );
  }

  #control(text: string): Promise<unknown> {
    return unheard(this.client.query(text));
  }

  #send({ sql: text, parameters }: CompiledQuery): Promise<unknown> {
    // Also true for statements sent with the commit: a write repeated after the commit would stand alone.
    const isInside = this.#stage === 'begun';
    const ask = (): Promise<unknown> => {
      const name = parameters.length > 0 ? this.#names.nameOf(text) : undefined;
      return this.client.query({ text, values: [...parameters], ...(name !== undefined && { name }) });
    };
    const asked = ask().catch((error: unknown) => {
      if (!isStalePlan(error)) throw error;
      this.#names.renameAll();
      // A failed statement ends its transaction, which then runs again as a whole.
      if (isInside) throw error;
      return ask();
    });
    return unheard(asked);
  }
}

/** Prevents an unhandled rejection: the failure is thrown later, where the promise is awaited. */
function unheard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Throws the first failure in order, because it caused the later ones. */
async function lastOf(sent: readonly Promise<unknown>[]): Promise<unknown> {
  let last: unknown;
  for (const one of sent) last = await one;
  return last;
}

function resultOf<R>(result: unknown): QueryResult<R> {
  const { command, rowCount, rows } = result as pg.QueryResult & { readonly rows: R[] };
  return { rows: rows ?? [], ...(ROWS_COUNTED.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) };
}

class PipelinedDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #names: StatementNames;

  constructor(pool: pg.Pool, names: StatementNames) {
    this.#pool = pool;
    this.#names = names;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PipelinedConnection> {
    return new PipelinedConnection(await this.#pool.connect(), this.#names);
  }

  async beginTransaction(connection: PipelinedConnection, settings: TransactionSettings): Promise<void> {
    if (Object.values(settings).some((value) => value !== undefined)) throw new Error('this driver begins ordinary transactions only');
    connection.begin();
  }

  async commitTransaction(connection: PipelinedConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: PipelinedConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: PipelinedConnection): Promise<void> {
    connection.client.release(connection.isBroken);
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

export class PipelinedDialect extends PostgresDialect {
  readonly #driver: PipelinedDriver;

  constructor(pool: pg.Pool, names: StatementNames) {
    super({ pool });
    this.#driver = new PipelinedDriver(pool, names);
  }

  override createDriver(): Driver {
    return this.#driver;
  }
}
