// Reads the processor time of ended processes, to compare runs: wall-clock seconds mean little on a busy machine.
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Seconds of all ended child processes and of the children that they waited for; undefined if the system does not report them. */
export function readEndedSeconds(stat: () => string = readOwnStat): number | undefined {
  // The second field is the program name in brackets; it may contain spaces.
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
