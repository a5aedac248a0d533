/** A database that compiles and records statements, and answers each with the same rows. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  CamelCasePlugin,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Schema } from '../../packages/server/src/platform/db/schema.generated.ts';

/** Maximum recorded statements: a function that repeats until no rows are left would never end. */
const MOST_STATEMENTS = 40;

interface Recording {
  readonly statements: Set<string>;
  readonly rows: unknown[];
  count: number;
}

const recordings = new AsyncLocalStorage<Recording>();

/** Records the statements that `work` sends, in order; those before a failure count. */
export async function record(rows: unknown[], work: () => unknown): Promise<readonly string[]> {
  const recording: Recording = { statements: new Set(), rows, count: 0 };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, 500);
  });
  try {
    await recordings.run(recording, async () => await Promise.race([Promise.resolve().then(work).then(noteFragment), late]));
  } catch {
    // Ignore failures: a function may fail on the sample values after its statements.
  } finally {
    clearTimeout(timer);
  }
  return [...recording.statements];
}

function note(statement: string): QueryResult<never> {
  const recording = recordings.getStore();
  if (recording === undefined) throw new Error('a statement outside of a recording');
  recording.count += 1;
  if (recording.count > MOST_STATEMENTS) throw new Error('too many statements');
  recording.statements.add(statement);
  return { rows: recording.rows as never[], numAffectedRows: BigInt(recording.rows.length), numChangedRows: 1n };
}

/** Records a returned part of a statement, or a statement that the caller sends. */
function noteFragment(result: unknown): void {
  if (typeof result === 'string' && /^\s*(?:select|insert|update|delete|with|case|exists|\()/i.test(result)) note(result);
  if (typeof result !== 'object' || result === null) return;
  const { sql, compile } = result as { sql?: unknown; compile?: unknown };
  if (typeof sql === 'string') note(sql);
  else if (typeof compile === 'function') note((result as { compile(db: unknown): CompiledQuery }).compile(db).sql);
}

const connection: DatabaseConnection = {
  executeQuery: async ({ sql }) => note(sql),
  // biome-ignore lint/correctness/useYield: no repository streams rows.
  async *streamQuery() {
    throw new Error('this database streams no rows');
  },
};

const driver: Driver = {
  init: async () => undefined,
  acquireConnection: async () => connection,
  beginTransaction: async () => undefined,
  commitTransaction: async () => undefined,
  rollbackTransaction: async () => undefined,
  savepoint: async () => undefined,
  rollbackToSavepoint: async () => undefined,
  releaseSavepoint: async () => undefined,
  releaseConnection: async () => undefined,
  destroy: async () => undefined,
};

const camelCase = new CamelCasePlugin({ maintainNestedObjectKeys: true });

/** The recording database, without the plugin that renames columns: sample rows have none. */
export const db = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  plugins: [{ transformQuery: (query) => camelCase.transformQuery(query), transformResult: async ({ result }) => result }],
});

const query = async (asked: string | { readonly text: string }): Promise<QueryResult<never> & { rowCount: number }> => {
  const result = note(typeof asked === 'string' ? asked : asked.text);
  return { ...result, rowCount: result.rows.length };
};

export const pool = { query, connect: async () => ({ query, release: () => undefined }) };

export const database = {
  db,
  pool,
  transaction: (work: (tx: typeof db) => unknown) => db.transaction().execute(async (tx) => await work(tx as never)),
  joinTransaction: (work: (tx: typeof db) => unknown) => db.transaction().execute(async (tx) => await work(tx as never)),
};
