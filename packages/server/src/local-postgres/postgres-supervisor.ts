// Starts PostgreSQL under a small shell that outlives us and stops the server when its last holder is gone.
import { execFile } from 'node:child_process';
import { closeSync, constants, lstatSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { giveToAccount } from './postgres-account.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { asSeenByAccount, type PostgresLayout, spawnAsAccount } from './postgres-layout.ts';
import { joinHolders, type SharedHold } from './shared-hold.ts';
import { SOCKET_PORT } from './socket-folder.ts';

/**
 * Why the script does each step:
 * - it first opens the pipe both ways, because opening it only for reading waits for a writer, which may be dead by now;
 * - the reader closes the pipe before it signals the server, so that new processes see at once that the supervisor is gone;
 * - it repeats the signal, because a server that has only just started ignores the first ones;
 * - it ignores signals of terminals and service managers: only the end of the last holder may stop the server.
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
  layout: PostgresLayout,
  binaries: PostgresBinaries,
  socketFolder: string,
): Promise<SharedHold | undefined> {
  await ensureHoldPipe(layout);
  removeOldAnswers(layout);
  const startLog = openSync(join(layout.log, START_LOG), 'w', 0o600);
  giveToAccount(layout.account, join(layout.log, START_LOG));
  // Kept open until we have joined, so that the supervisor never sees a pipe without holders.
  let bridge: number | undefined = openSync(layout.holdPipe, constants.O_RDWR | constants.O_NONBLOCK);
  const dropBridge = () => {
    if (bridge !== undefined) closeSync(bridge);
    bridge = undefined;
  };
  try {
    const script = [
      '-c',
      SUPERVISOR_SCRIPT,
      'market-postgres',
      asSeenByAccount(layout, layout.holdPipe),
      asSeenByAccount(layout, layout.run),
    ];
    const args = [...script, join(binaries.bin, 'postgres'), ...serverArguments(layout, socketFolder)];
    const supervisor = spawnAsAccount(layout, { file: '/bin/sh', args, output: startLog, detached: true });
    supervisor.on('error', dropBridge);
    supervisor.on('exit', dropBridge);
    supervisor.unref();
    return await joinHolders(layout.holdPipe, layout.run);
  } finally {
    dropBridge();
    closeSync(startLog);
  }
}

function serverArguments(layout: PostgresLayout, socketFolder: string): string[] {
  const settings = {
    listen_addresses: '',
    // The setting is a list, in which quotes keep a path with commas together.
    unix_socket_directories: `"${asSeenByAccount(layout, socketFolder).replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: SOCKET_PORT,
    max_connections: 200,
    shared_buffers: '64MB',
    timezone: 'UTC',
    jit: 'off',
    // One file per weekday, overwritten a week later. Errors of single statements are not logged: the service reports them itself, and
    // their text may contain people's input.
    logging_collector: 'on',
    log_directory: asSeenByAccount(layout, layout.log),
    log_filename: 'server-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: 0,
    log_timezone: 'UTC',
    log_min_messages: 'log',
    log_checkpoints: 'off',
  };
  return ['-D', asSeenByAccount(layout, layout.data), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The pipe is created once and kept, so holders of a crashed server also count for the next one. */
async function ensureHoldPipe(layout: PostgresLayout): Promise<void> {
  const found = lstatSync(layout.holdPipe, { throwIfNoEntry: false });
  if (found?.isFIFO() !== true) {
    rmSync(layout.holdPipe, { recursive: true, force: true });
    await promisify(execFile)('mkfifo', ['-m', '600', layout.holdPipe]);
  }
  giveToAccount(layout.account, layout.holdPipe);
}

function removeOldAnswers(layout: PostgresLayout): void {
  for (const name of readdirSync(layout.run)) {
    if (name.startsWith('joined.')) rmSync(join(layout.run, name), { force: true });
  }
}

/** The end of the server's log, written before it gave up. */
export function readLastWords(layout: PostgresLayout): string {
  const logs = readdirSync(layout.log).sort((a, b) => modifiedAt(layout, a) - modifiedAt(layout, b));
  const lines = logs.flatMap((name) => readFileSync(join(layout.log, name), 'utf8').trimEnd().split('\n').slice(-8));
  return lines.slice(-12).join('\n');
}

function modifiedAt(layout: PostgresLayout, name: string): number {
  return lstatSync(join(layout.log, name)).mtimeMs;
}
