/** The figures of a run as one table: path, ours, limit, ratio, bound, last time. */
import type { JudgedRow } from './run-bench.ts';

/** The judged figures that were last accepted, by path. */
export type Accepted = Readonly<Record<string, number>>;

export function judgedOf({ judged, figure }: JudgedRow): number {
  return judged === 'ours' ? figure.ours : (figure.ratio ?? Number.NaN);
}

export function describeRows(rows: readonly JudgedRow[], accepted: Accepted): string {
  const head = ['path', 'ours', 'limit', 'ratio', 'bound', 'last time', ''];
  const lines = rows.map((row) => {
    const { path, unit, direction, bound, figure, holds } = row;
    const last = accepted[path];
    return [
      path,
      withUnit(figure.ours, unit),
      figure.limit === undefined ? '–' : withUnit(figure.limit, unit),
      figure.ratio === undefined ? '–' : figure.ratio.toFixed(2),
      bound === undefined ? '–' : `${direction === 'at least' ? '≥' : '≤'} ${round(bound)}`,
      last === undefined ? '–' : round(last),
      holds === false ? 'MISSED' : '',
    ];
  });
  const table = [head, ...lines];
  const widths = head.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  return table
    .map((cells) =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Each missed bound in a sentence. */
export function describeMisses(rows: readonly JudgedRow[]): string[] {
  return rows
    .filter(({ holds }) => holds === false)
    .map((row) => `missed: ${row.path} is ${round(judgedOf(row))}, wanted ${row.direction} ${round(row.bound ?? Number.NaN)}`);
}

function withUnit(value: number, unit: string): string {
  return unit.startsWith('/') ? `${round(value)}${unit}` : `${round(value)} ${unit}`;
}

function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
