/**
 * One value over time as a line, straight between points. Zero is the baseline, the last point is labelled, and a table is one click away.
 */
import './chart.css';
import { type ReactNode, useId } from 'react';
import { formatTime, parseTime } from '../words/format.ts';
import { useVisitor } from '../words/visitor.ts';
import { axisAround } from './chart-axis.ts';

export interface LinePoint {
  /** A time of the API, like `2026-11-15 14:05:00`. */
  readonly at: string;
  readonly value: number;
  /** The value as the table shows it. */
  readonly exact: string;
}

export interface LineChartProps {
  /** States what the line shows, for visitors who cannot see it. */
  readonly title: string;
  /** Name and unit of the value. */
  readonly what: string;
  /** At least two, oldest first. */
  readonly points: readonly LinePoint[];
  readonly format: (value: number) => string;
}

const WIDTH = 760;
const HEIGHT = 236;
const BASE = 204;
const TOP = 22;
/** Leaves room for the whole dot at the end of the line. */
const RIGHT = WIDTH - 4;
/** Width of a letter on phones, where the drawing shrinks but its text does not. */
const LETTER = 14;

export function LineChart({ title, what, points, format }: LineChartProps) {
  const id = useId();
  const visitor = useVisitor();
  const times = points.map(({ at }) => parseTime(at).getTime());
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const values = points.map(({ value }) => value);
  const { bottom, top, ticks } = axisAround(Math.min(...values), Math.max(...values));
  const left = Math.max(...ticks.map((tick) => format(tick).length)) * LETTER + 14;
  const x = (time: number) => left + ((time - first) / Math.max(1, last - first)) * (RIGHT - left);
  const y = (value: number) => BASE - ((value - bottom) / (top - bottom)) * (BASE - TOP);
  const path = points.map(({ value }, index) => `${x(times[index] ?? 0).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const end = points.at(-1)?.value ?? 0;
  return (
    <figure className="figure">
      <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={id}>
        <title id={id}>{title}</title>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid-line" x1={left} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
            <text x={left - 8} y={y(tick) + 4} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        <polyline className="line" points={path} />
        <circle className="end" cx={x(last)} cy={y(end)} r="3.5" />
        <text className="value over" x={RIGHT - 8} y={y(end) - 8} textAnchor="end">
          {format(end)}
        </text>
        <line className="axis" x1={left} x2={WIDTH} y1={y(0) + 0.5} y2={y(0) + 0.5} />
        <text x={left} y={HEIGHT - 5}>
          {formatTime(first, 'list', visitor)}
        </text>
        <text x={WIDTH} y={HEIGHT - 5} textAnchor="end">
          {formatTime(last, 'list', visitor)}
        </text>
      </svg>
      <details className="chart-table">
        <summary>Show as table</summary>
        <table className="table">
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col" className="right">
                {what}
              </th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ at, exact }) => (
              <tr key={at}>
                <th scope="row" className="mono">
                  {formatTime(at, 'list', visitor)}
                </th>
                <td className="right mono">{exact}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

/** Placeholder of the chart’s height, against layout shift. */
export function ChartRoom({ children }: { readonly children?: ReactNode }) {
  return <div className="chart-room">{children}</div>;
}
