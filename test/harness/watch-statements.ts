/** The statements that this process sends to PostgreSQL, as they are sent. */
import pg from 'pg';

export interface StatementWatch {
  /** Since the last call. */
  take(): string[];
  stop(): void;
}

type Query = (config: unknown, ...rest: unknown[]) => unknown;

export function watchStatements(): StatementWatch {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  let seen: string[] = [];
  prototype.query = function watched(this: unknown, config: unknown, ...rest: unknown[]): unknown {
    seen.push(typeof config === 'string' ? config : String((config as { text?: string }).text));
    return query.call(this, config, ...rest);
  };
  return {
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
    stop() {
      prototype.query = query;
    },
  };
}
