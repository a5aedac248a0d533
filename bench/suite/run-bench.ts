/** Runs one benchmark to its end and judges its figures by its rows. */
import type { Bench, BenchRun, Figure, Row } from './bench.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';

export interface JudgedRow extends Row {
  readonly bench: string;
  readonly figure: Figure & { readonly ratio?: number };
  /** Undefined without a bound, and in smoke mode. */
  readonly holds: boolean | undefined;
}

export interface RunOptions {
  readonly smoke: boolean;
  readonly print: (line: string) => void;
  /** Stages that benchmarks share. The caller closes them. */
  readonly stages?: StagePool;
}

export async function runBench(name: string, bench: Bench, { smoke, print, stages: given }: RunOptions): Promise<JudgedRow[]> {
  const figures = new Map<string, Figure>();
  const stages = given ?? createStagePool();
  const closers: (() => unknown)[] = [];
  const run: BenchRun = {
    smoke,
    pick: (full, small) => (smoke ? small : full),
    stage: (options = {}) => stages.open(options, smoke),
    atEnd: (close) => closers.push(close),
    print,
    report(path, figure) {
      if (!bench.rows.some((row) => row.path === path)) throw new Error(`${name} has no row called "${path}"`);
      figures.set(path, figure);
    },
  };
  try {
    await bench.run(run);
  } finally {
    for (const close of closers.reverse()) await close();
    if (given === undefined) await stages.close();
  }
  return bench.rows.map((row) => judge(name, row, figures.get(row.path), smoke));
}

function judge(bench: string, row: Row, figure: Figure | undefined, smoke: boolean): JudgedRow {
  if (figure === undefined || !Number.isFinite(figure.ours)) throw new Error(`${bench} has no figure for "${row.path}"`);
  const ratio = figure.ratio ?? (figure.limit === undefined ? undefined : figure.ours / figure.limit);
  const judged = row.judged === 'ours' ? figure.ours : ratio;
  if (judged === undefined || !Number.isFinite(judged)) throw new Error(`${bench} has no ratio for "${row.path}"`);
  const holds = row.bound === undefined || smoke ? undefined : row.direction === 'at least' ? judged >= row.bound : judged <= row.bound;
  return { ...row, bench, figure: { ...figure, ...(ratio !== undefined && { ratio }) }, holds };
}

export interface StagePool {
  open(options: StageOptions, shared: boolean): Promise<Stage>;
  close(): Promise<void>;
}

export function createStagePool(): StagePool {
  const opened: Promise<Stage>[] = [];
  const shared = new Map<string, Promise<Stage>>();
  return {
    open(wanted, share) {
      // The test run has chains already: a stage with chains can be shared by nearly all benchmarks.
      const options = share ? { ...wanted, chains: true } : wanted;
      const key = JSON.stringify(Object.entries(options).sort());
      const stage = (share ? shared.get(key) : undefined) ?? openStage(options, share);
      if (!opened.includes(stage)) opened.push(stage);
      if (share) shared.set(key, stage);
      return stage;
    },
    async close() {
      for (const stage of opened.reverse()) await (await stage).close();
    },
  };
}
