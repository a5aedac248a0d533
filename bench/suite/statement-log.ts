/** A PostgreSQL of our own that writes down every statement, and the sums of what it wrote. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../packages/server/src/local-postgres/embedded-postgres.ts';
import { prepareTemplate } from '../../test/harness/database.ts';

const TEMPLATE = 'market_template';
/** PostgreSQL writes its log through another process. */
const WRITTEN_AFTER_MS = 500;

export interface CountedStatement {
  readonly text: string;
  readonly times: number;
  readonly ms: number;
}

export interface StatementLog {
  /** Begins; the function that it returns ends it. */
  start(): Promise<() => Promise<CountedStatement[]>>;
  close(): Promise<void>;
}

/** From now on the databases of this process are made there. */
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

/** Statements by the time they took, the most first. Plans and parameters of the same statement count as one. */
export function countStatements(log: string): CountedStatement[] {
  const sums = new Map<string, { text: string; times: number; ms: number }>();
  // A line of an entry after its first begins with a tab.
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
