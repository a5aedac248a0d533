// How much processor time ended processes have used, for comparing runs: seconds on the wall say little on a busy machine.
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Of every child process that has ended, with the children it waited for; undefined where the system does not tell. */
export function readEndedSeconds(stat: () => string = readOwnStat): number | undefined {
  // The name of the program comes second, in brackets, and may hold spaces.
  const fields = stat().split(') ').at(-1)?.split(' ') ?? [];
  const [user, system] = [Number(fields[13]), Number(fields[14])];
  return Number.isFinite(user + system) ? (user + system) / TICKS_PER_SECOND : undefined;
}

function readOwnStat(): string {
  try {
    return readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return '';
  }
}
