// The folders and files of one embedded server, and how the account that runs it reaches them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, constants, mkdirSync, openSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { choosePostgresAccount, giveToAccount, type PostgresAccount } from './postgres-account.ts';

/** A fixed environment: PGDATA, PGPORT or LANG of our parent process must not change the server. */
const PROGRAM_ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** The descriptor number under which a child finds our folder if its account may not walk the path to it. */
const FOLDER_DESCRIPTOR = 3;

export interface PostgresLayout {
  readonly folder: string;
  readonly data: string;
  readonly run: string;
  readonly log: string;
  /** The pipe that every attached process holds open; see shared-hold.ts. */
  readonly holdPipe: string;
  readonly startLock: string;
  /** Names the folder of the server's socket, which depends on the TMPDIR of the process that started it. */
  readonly socketNote: string;
  readonly account: PostgresAccount | undefined;
  /** True when the account may not enter a parent folder, for example a checkout in a private home while we are root. */
  readonly reachedByDescriptor: boolean;
}

export function openPostgresLayout(dataDir: string): PostgresLayout {
  mkdirSync(resolve(dataDir), { recursive: true });
  const folder = join(realpathSync(dataDir), 'postgres');
  const account = choosePostgresAccount(folder);
  for (const each of [folder, join(folder, 'run'), join(folder, 'log')]) {
    mkdirSync(each, { recursive: true });
    chmodSync(each, 0o700);
    giveToAccount(account, each);
  }
  const run = join(folder, 'run');
  return {
    folder,
    data: join(folder, 'data'),
    run,
    log: join(folder, 'log'),
    holdPipe: join(run, 'hold'),
    startLock: join(run, 'start.lock'),
    socketNote: join(run, 'socket-folder'),
    account,
    reachedByDescriptor: isClosedTo(account, folder),
  };
}

function isClosedTo(account: PostgresAccount | undefined, folder: string): boolean {
  if (account === undefined) return false;
  const visit = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...account, stdio: 'ignore' });
  if (visit.error !== undefined) {
    throw new Error(
      `Cannot run programs as uid ${account.uid}, which PostgreSQL needs under root. Run as an ordinary user, or set DATABASE_URL.`,
      {
        cause: visit.error,
      },
    );
  }
  if (visit.status !== 0 && process.platform !== 'linux') {
    throw new Error(
      `The account that runs PostgreSQL (uid ${account.uid}) may not enter ${folder}. Set DATA_DIR to a folder it may enter.`,
    );
  }
  return visit.status !== 0;
}

/** A path inside the folder as the account's own processes must spell it. */
export function asSeenByAccount(layout: PostgresLayout, path: string): string {
  return layout.reachedByDescriptor && path.startsWith(layout.folder)
    ? `/proc/self/fd/${FOLDER_DESCRIPTOR}${path.slice(layout.folder.length)}`
    : path;
}

export interface AccountProcess {
  readonly file: string;
  readonly args: readonly string[];
  /** Target of standard output and error: pipes, or an open file. */
  readonly output: 'pipe' | number;
  readonly detached?: boolean;
}

export function spawnAsAccount(layout: PostgresLayout, { file, args, output, detached = false }: AccountProcess): ChildProcess {
  const folder = openSync(layout.folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return spawn(file, args, {
      ...layout.account,
      cwd: layout.folder,
      env: PROGRAM_ENVIRONMENT,
      detached,
      stdio: ['ignore', output, output, layout.reachedByDescriptor ? folder : 'ignore'],
    });
  } finally {
    closeSync(folder);
  }
}

/** Runs a program to its end; `code` is null when it could not be started or was killed. */
export function runAsAccount(
  layout: PostgresLayout,
  file: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    let output = '';
    const child = spawnAsAccount(layout, { file, args, output: 'pipe' });
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', (error) => done({ code: null, output: error.message }));
    child.on('close', (code) => done({ code, output }));
  });
}
