/** Debian's pgbouncer before the test's PostgreSQL, in transaction mode, as in a deployment with many processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { PostgresConnection } from '../../packages/server/src/local-postgres/embedded-postgres.ts';
import { choosePostgresAccount } from '../../packages/server/src/local-postgres/postgres-account.ts';
import { requireProgram } from '../../scripts/testing/debian-programs.ts';
import { freePort } from './market.ts';

export interface Pooler {
  /** Usable as DATABASE_URL. */
  urlOf(database: string): string;
  log(): string;
  stop(): Promise<void>;
}

const PASSWORD = 'through-the-pooler';
const START_LIMIT_MS = 15_000;

/** Every other setting has its default; `more` sets the size of the pool. */
export async function startPgbouncer(to: PostgresConnection, more: Readonly<Record<string, string>> = {}): Promise<Pooler> {
  const program = requireProgram('pgbouncer');
  const folder = await mkdtemp(path.join(tmpdir(), 'pgbouncer-'));
  // Like PostgreSQL it refuses to run as root, so its account must be able to read this folder.
  await chmod(folder, 0o755);
  const port = await freePort();
  const settings = {
    pool_mode: 'transaction',
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'md5',
    ...more,
  };
  const [config, users] = [path.join(folder, 'pgbouncer.ini'), path.join(folder, 'userlist.txt')];
  await writeFile(users, `"market" "${PASSWORD}"\n`);
  await writeFile(
    config,
    [
      '[databases]',
      `* = host=${to.host} port=${to.port} user=${to.user}`,
      '[pgbouncer]',
      `auth_file = ${users}`,
      ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  );
  const child = spawn(program, [config], { ...choosePostgresAccount(folder), stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const pooler: Pooler = {
    urlOf: (database) => `postgresql://market:${PASSWORD}@127.0.0.1:${port}/${database}`,
    log: () => log,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await untilAnswering(pooler.urlOf(to.database), child);
    return pooler;
  } catch (error) {
    await pooler.stop();
    throw new Error(`pgbouncer did not start:\n${log}`, { cause: error });
  }
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  for (const deadline = performance.now() + START_LIMIT_MS; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.query('select 1');
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
