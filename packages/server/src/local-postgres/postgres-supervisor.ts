// Starts PostgreSQL under a small shell that outlives us and stops the server when its last holder is gone.
import { execFile } from 'node:child_process';
import { closeSync, constants, lstatSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { giveToAccount } from './postgres-account.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { asSeenByAccount, type PostgresPlace, spawnAsAccount } from './postgres-place.ts';
import { joinHolders, type SharedHold } from './shared-hold.ts';
import { SOCKET_PORT } from './socket-folder.ts';

/**
 * Why each step is as it is:
 * - the pipe is first opened both ways, because opening it only for reading waits for a writer, which may be dead by now;
 * - the reader closes the pipe before it signals the server, so that new processes see at once that the supervisor is gone;
 * - the signal is repeated, because a server that has only just been started ignores the first ones;
 * - terminal and service-manager signals are ignored: only the last holder's end may stop the server.
 */
const SUPERVISOR_SCRIPT = `
pipe=$1 answers=$2
shift 2
trap '' HUP INT TERM
exec 8<>"$pipe" 9<"$pipe" 8>&-
"$@" 9<&- &
server=$!
{
  while read -r word; do
    case $word in '' | *[!0-9a-f]*) ;; *) : >"$answers/joined.$word" ;; esac
  done <&9
  exec 9<&-
  tries=0
  while [ $tries -lt 60 ] && kill -INT $server; do tries=$((tries + 1)); sleep 1; done
  kill -QUIT $server
} 2>/dev/null &
reader=$!
exec 9<&-
wait $server
result=$?
kill -KILL $reader 2>/dev/null
exit $result
`;

const START_LOG = 'start.log';

/** Returns our hold on the started server, or undefined when it ended at once; `readLastWords` then says why. */
export async function launchSupervised(
  place: PostgresPlace,
  binaries: PostgresBinaries,
  socketFolder: string,
): Promise<SharedHold | undefined> {
  await ensureHoldPipe(place);
  removeOldAnswers(place);
  const startLog = openSync(join(place.log, START_LOG), 'w', 0o600);
  giveToAccount(place.account, join(place.log, START_LOG));
  // Held until we have joined, so that the supervisor never sees a pipe without holders.
  let bridge: number | undefined = openSync(place.holdPipe, constants.O_RDWR | constants.O_NONBLOCK);
  const dropBridge = () => {
    if (bridge !== undefined) closeSync(bridge);
    bridge = undefined;
  };
  try {
    const script = ['-c', SUPERVISOR_SCRIPT, 'market-postgres', asSeenByAccount(place, place.holdPipe), asSeenByAccount(place, place.run)];
    const args = [...script, join(binaries.bin, 'postgres'), ...serverArguments(place, socketFolder)];
    const supervisor = spawnAsAccount(place, { file: '/bin/sh', args, output: startLog, detached: true });
    supervisor.on('error', dropBridge);
    supervisor.on('exit', dropBridge);
    supervisor.unref();
    return await joinHolders(place.holdPipe, place.run);
  } finally {
    dropBridge();
    closeSync(startLog);
  }
}

function serverArguments(place: PostgresPlace, socketFolder: string): string[] {
  const settings = {
    listen_addresses: '',
    // A list, in which quotes keep a path with commas together.
    unix_socket_directories: `"${asSeenByAccount(place, socketFolder).replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: SOCKET_PORT,
    max_connections: 200,
    shared_buffers: '64MB',
    timezone: 'UTC',
    jit: 'off',
    // One file per weekday, begun anew a week later. Errors of single statements are not logged: the service receives and
    // reports them itself, and their text may hold what people sent us.
    logging_collector: 'on',
    log_directory: asSeenByAccount(place, place.log),
    log_filename: 'server-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: 0,
    log_timezone: 'UTC',
    log_min_messages: 'log',
    log_checkpoints: 'off',
  };
  return ['-D', asSeenByAccount(place, place.data), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The pipe is made once and kept: holders of a crashed server then count for the next one as well. */
async function ensureHoldPipe(place: PostgresPlace): Promise<void> {
  const found = lstatSync(place.holdPipe, { throwIfNoEntry: false });
  if (found?.isFIFO() !== true) {
    rmSync(place.holdPipe, { recursive: true, force: true });
    await promisify(execFile)('mkfifo', ['-m', '600', place.holdPipe]);
  }
  giveToAccount(place.account, place.holdPipe);
}

function removeOldAnswers(place: PostgresPlace): void {
  for (const name of readdirSync(place.run)) {
    if (name.startsWith('joined.')) rmSync(join(place.run, name), { force: true });
  }
}

/** The end of what the server wrote before it gave up. */
export function readLastWords(place: PostgresPlace): string {
  const logs = readdirSync(place.log).sort((a, b) => modifiedAt(place, a) - modifiedAt(place, b));
  const lines = logs.flatMap((name) => readFileSync(join(place.log, name), 'utf8').trimEnd().split('\n').slice(-8));
  return lines.slice(-12).join('\n');
}

function modifiedAt(place: PostgresPlace, name: string): number {
  return lstatSync(join(place.log, name)).mtimeMs;
}
