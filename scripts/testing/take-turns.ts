// Long test files take turns in everyday runs: each runs only in one of a few turns, so that a run ends within a quarter of an hour.
import type { Timings } from './plan-shards.ts';

export const TURNS = 3;
const LONG_SECONDS = 10;

export interface Turn {
  readonly files: readonly string[];
  readonly waiting: number;
}

/** Picks the files of a turn (any whole number). The long files of all turns take about the same time. */
export function takeTurns(files: readonly string[], timings: Timings, turn: number): Turn {
  const secondsOf = (file: string): number => timings[file] ?? 0;
  const long = files.filter((file) => secondsOf(file) >= LONG_SECONDS).sort((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1));
  const waiting = new Set(long.filter((_, rank) => rank % TURNS !== turn % TURNS));
  return { files: files.filter((file) => !waiting.has(file)), waiting: waiting.size };
}

/** The turn of the day (UTC). */
export function turnOfToday(now: number = Date.now()): number {
  return Math.floor(now / 86_400_000) % TURNS;
}
