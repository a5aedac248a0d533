/** Counts what a market in this process sends PostgreSQL: statements, and round trips (statements sent together are one). */
import type pg from 'pg';

export interface Statement {
  readonly text: string;
  /** Sent while an earlier statement of the same connection was still unanswered. */
  readonly pipelined: boolean;
  /** Number of its transaction. */
  readonly transaction?: number;
}

export interface StatementLog {
  /** Statements since the last call. */
  take(): readonly Statement[];
  stop(): void;
}

interface Queryable {
  query(...args: readonly unknown[]): unknown;
}

export function recordStatements(pool: pg.Pool): StatementLog {
  let statements: Statement[] = [];
  let transactions = 0;
  const watched = new Map<Queryable, Queryable['query']>();
  const watch = (client: pg.PoolClient): void => {
    const target = client as unknown as Queryable;
    if (watched.has(target)) return;
    const query = target.query;
    watched.set(target, query);
    let unanswered = 0;
    let transaction = 0;
    target.query = (...args) => {
      const text = textOf(args[0]);
      if (text.startsWith('begin')) transaction = ++transactions;
      statements.push({ text, pipelined: unanswered > 0, ...(transaction > 0 && { transaction }) });
      if (/^(?:commit|rollback)\b/.test(text)) transaction = 0;
      unanswered += 1;
      const answered = (): void => {
        unanswered -= 1;
      };
      const last = args.at(-1);
      // The pool itself calls with a callback.
      if (typeof last === 'function') {
        const heard = (...results: unknown[]): void => {
          answered();
          last(...results);
        };
        return query.apply(target, [...args.slice(0, -1), heard]);
      }
      const asked = query.apply(target, [...args]) as Promise<unknown>;
      asked.then(answered, answered);
      return asked;
    };
  };
  pool.on('acquire', watch);
  return {
    take() {
      const taken = statements;
      statements = [];
      return taken;
    },
    stop() {
      pool.off('acquire', watch);
      for (const [client, query] of watched) client.query = query;
    },
  };
}

/** Leaves out matching statements, with the whole transaction of each. */
export function withoutTransactionsOf(statements: readonly Statement[], left: RegExp): Statement[] {
  const matching = statements.filter(({ text }) => left.test(text));
  const transactions = new Set(matching.flatMap(({ transaction }) => transaction ?? []));
  return statements.filter((one) => !matching.includes(one) && !(one.transaction !== undefined && transactions.has(one.transaction)));
}

function textOf(first: unknown): string {
  const text = typeof first === 'string' ? first : (first as { text: string }).text;
  return text.replace(/\s+/g, ' ').trim();
}
