/** Starts a PostgreSQL that logs every statement, and sums up its log. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../packages/server/src/local-postgres/embedded-postgres.ts';
import { prepareTemplate } from '../../test/harness/database.ts';

const TEMPLATE = 'market_template';
/** PostgreSQL's log collector is another process and writes with a delay. */
const WRITTEN_AFTER_MS = 500;

export interface CountedStatement {
  readonly text: string;
  readonly times: number;
  readonly ms: number;
}

export interface StatementLog {
  /** Starts counting; the returned function stops it and returns the counts. */
  start(): Promise<() => Promise<CountedStatement[]>>;
  close(): Promise<void>;
}

/** Afterwards this process creates its databases on that server. */
export async function openStatementLog(folder: string): Promise<StatementLog> {
  const server = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
  const { host, port, user } = server.connection;
  await prepareTemplate(server.connection, TEMPLATE);
  Object.assign(process.env, { TEST_PG_HOST: host, TEST_PG_PORT: String(port), TEST_PG_USER: user, TEST_PG_TEMPLATE: TEMPLATE });
  const set = async (setting: string): Promise<void> => {
    const client = new pg.Client({ ...server.connection });
    await client.connect();
    await client.query(`alter system set ${setting}`);
    await client.query('select pg_reload_conf()');
    await client.end();
    await sleep(WRITTEN_AFTER_MS);
  };
  const files = (): string[] => globSync(join(folder, '**', 'server-*.log'));
  return {
    async start() {
      const sizes = new Map(files().map((file) => [file, statSync(file).size]));
      await set('log_min_duration_statement = 0');
      return async () => {
        await set('log_min_duration_statement = -1');
        const written = files().map((file) =>
          readFileSync(file)
            .subarray(sizes.get(file) ?? 0)
            .toString(),
        );
        return countStatements(written.join(''));
      };
    },
    close: server.stop,
  };
}

const ENTRY = /duration: (?<ms>[\d.]+) ms {2}(?:statement|execute [^:]*): (?<text>.*)/s;

/** Statements by total time, longest first. Executions with different parameters count as one statement. */
export function countStatements(log: string): CountedStatement[] {
  const sums = new Map<string, { text: string; times: number; ms: number }>();
  // Continuation lines of a log entry begin with a tab.
  for (const entry of log.split(/\n(?!\t)/)) {
    const { ms, text } = ENTRY.exec(entry)?.groups ?? {};
    if (ms === undefined || text === undefined) continue;
    const short = text
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/'[^']*'/g, "'…'")
      .trim()
      .slice(0, 160);
    const sum = sums.get(short) ?? { text: short, times: 0, ms: 0 };
    sum.times += 1;
    sum.ms += Number(ms);
    sums.set(short, sum);
  }
  return [...sums.values()].sort((a, b) => b.ms - a.ms);
}
