/** A benchmark declares its rows as data and a run that fills them with figures. Table, JSON and exit code derive from the rows. */
import type { Stage, StageOptions } from './stage.ts';

export interface Row {
  /** The row's name in the table; unique among all benchmarks. */
  readonly path: string;
  /** The unit of `ours` and `limit`: `/s`, `ms`, `MB`, `s`. */
  readonly unit: string;
  /** The bound applies to `ours` against the limit of the same run, or to `ours` alone. */
  readonly judged: 'ratio' | 'ours';
  readonly direction: 'at least' | 'at most';
  /** Without a bound, the figure is shown and never fails. */
  readonly bound?: number;
}

export interface Figure {
  readonly ours: number;
  /** The figure to compare with, such as that of node:http or bare SQL, measured in the same run. */
  readonly limit?: number;
  /** `ours / limit` unless the benchmark gives its own, such as the median of its rounds. */
  readonly ratio?: number;
}

export interface Bench {
  readonly about: string;
  readonly rows: readonly Row[];
  run(run: BenchRun): Promise<void>;
}

export interface BenchRun {
  /** True: small counts, no bounds on speed; the benchmark must only run to its end. */
  readonly smoke: boolean;
  pick<T>(full: T, smoke: T): T;
  /** A server process with a database; in smoke mode benchmarks with the same options share it. */
  stage(options?: StageOptions): Promise<Stage>;
  /** Registers a cleanup. Cleanups run in reverse order, also when the benchmark fails. */
  atEnd(close: () => unknown): void;
  print(line: string): void;
  report(path: string, figure: Figure): void;
}

export function defineBench(bench: Bench): Bench {
  return bench;
}
