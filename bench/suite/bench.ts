/** What a benchmark is: rows as data, and a run that fills them with figures. Table, JSON and exit code derive from the rows. */
import type { Stage, StageOptions } from './stage.ts';

export interface Row {
  /** What is measured, as the table names it; unique among all benchmarks. */
  readonly path: string;
  /** Of `ours` and `limit`: `/s`, `ms`, `MB`, `s`. */
  readonly unit: string;
  /** What the bound is about: `ours` against the limit of the same run, or `ours` alone. */
  readonly judged: 'ratio' | 'ours';
  readonly direction: 'at least' | 'at most';
  /** Missing: shown, but held to nothing. */
  readonly bound?: number;
}

export interface Figure {
  readonly ours: number;
  /** The bare parts underneath, in the same run. */
  readonly limit?: number;
  /** `ours / limit` unless the benchmark knows better, such as the median of its rounds. */
  readonly ratio?: number;
}

export interface Bench {
  readonly about: string;
  readonly rows: readonly Row[];
  run(run: BenchRun): Promise<void>;
}

export interface BenchRun {
  /** Small counts and no bounds on speed: it must only run to its end. */
  readonly smoke: boolean;
  pick<T>(full: T, smoke: T): T;
  /** A server process with a database; in smoke mode benchmarks with the same options share it. */
  stage(options?: StageOptions): Promise<Stage>;
  /** Closes what the benchmark opened, also when it fails; the last opened first. */
  atEnd(close: () => unknown): void;
  say(line: string): void;
  report(path: string, figure: Figure): void;
}

export function defineBench(bench: Bench): Bench {
  return bench;
}
