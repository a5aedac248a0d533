/** Counts what a market in this process asks PostgreSQL: statements, and round trips (statements sent together are one). */
import type pg from 'pg';

export interface Statement {
  readonly text: string;
  /** Sent while an earlier statement of the same connection was still unanswered. */
  readonly pipelined: boolean;
}

export interface StatementLog {
  /** What was asked since the last call. */
  take(): readonly Statement[];
  stop(): void;
}

interface Queryable {
  query(...args: readonly unknown[]): unknown;
}

export function recordStatements(pool: pg.Pool): StatementLog {
  let statements: Statement[] = [];
  const watched = new Map<Queryable, Queryable['query']>();
  const watch = (client: pg.PoolClient): void => {
    const target = client as unknown as Queryable;
    if (watched.has(target)) return;
    const query = target.query;
    watched.set(target, query);
    let unanswered = 0;
    target.query = (...args) => {
      statements.push({ text: textOf(args[0]), pipelined: unanswered > 0 });
      unanswered += 1;
      const answered = (): void => {
        unanswered -= 1;
      };
      const last = args.at(-1);
      // The pool itself asks with a callback.
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

function textOf(first: unknown): string {
  const text = typeof first === 'string' ? first : (first as { text: string }).text;
  return text.replace(/\s+/g, ' ').trim();
}
