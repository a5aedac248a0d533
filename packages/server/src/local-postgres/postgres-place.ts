// Where one embedded server keeps everything, and how the account that runs it reaches that folder.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, constants, mkdirSync, openSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { choosePostgresAccount, giveToAccount, type PostgresAccount } from './postgres-account.ts';

/** A fixed environment: PGDATA, PGPORT or LANG of our parent process must not change the server. */
const PROGRAM_ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** The descriptor number under which a child finds our folder when its account may not walk the path to it. */
const FOLDER_DESCRIPTOR = 3;

export interface PostgresPlace {
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
  /** True when a parent folder is closed to the account, as a checkout under a private home is when we are root. */
  readonly reachedByDescriptor: boolean;
}

export function openPostgresPlace(dataDir: string): PostgresPlace {
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
export function asSeenByAccount(place: PostgresPlace, path: string): string {
  return place.reachedByDescriptor && path.startsWith(place.folder)
    ? `/proc/self/fd/${FOLDER_DESCRIPTOR}${path.slice(place.folder.length)}`
    : path;
}

export interface AccountProcess {
  readonly file: string;
  readonly args: readonly string[];
  /** Where standard output and error go: collected through pipes, or into an open file. */
  readonly output: 'pipe' | number;
  readonly detached?: boolean;
}

export function spawnAsAccount(place: PostgresPlace, { file, args, output, detached = false }: AccountProcess): ChildProcess {
  const folder = openSync(place.folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return spawn(file, args, {
      ...place.account,
      cwd: place.folder,
      env: PROGRAM_ENVIRONMENT,
      detached,
      stdio: ['ignore', output, output, place.reachedByDescriptor ? folder : 'ignore'],
    });
  } finally {
    closeSync(folder);
  }
}

/** Runs a program to its end; `code` is null when it could not be started or was killed. */
export function runAsAccount(
  place: PostgresPlace,
  file: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    let output = '';
    const child = spawnAsAccount(place, { file, args, output: 'pipe' });
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
