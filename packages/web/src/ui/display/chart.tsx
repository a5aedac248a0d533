/** Days as bars: solid for settled, outlined for not yet. Zero is the baseline, one bar is labelled, and a table is one click away. */
import './chart.css';
import { useId } from 'react';
import { formatCount } from '../words/format.ts';
import { axisOf } from './chart-axis.ts';

export interface ChartSeries {
  readonly name: string;
  readonly kind: 'solid' | 'outlined';
}

export interface ChartDay {
  /** A day like `2026-11-15`. */
  readonly day: string;
  /** One value per series; the bars are stacked. */
  readonly values: readonly number[];
}

export interface ChartProps {
  /** States the totals, for visitors who cannot see the bars. */
  readonly title: string;
  readonly unit: string;
  readonly series: readonly ChartSeries[];
  readonly days: readonly ChartDay[];
  readonly format?: (value: number) => string;
}

const WIDTH = 760;
const HEIGHT = 236;
const LEFT = 44;
const BASE = 212;
const TOP = 14;

export function Chart({ title, unit, series, days, format = (value) => formatCount(value) }: ChartProps) {
  const id = useId();
  const totals = days.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const { top, ticks } = axisOf(Math.max(0, ...totals), totals.every(Number.isInteger) ? 1 : 0);
  const y = (value: number) => BASE - (value / top) * (BASE - TOP);
  const step = (WIDTH - LEFT) / Math.max(1, days.length);
  const highest = totals.indexOf(Math.max(...totals));
  // A label over one of the last bars would exceed the drawing.
  const atTheEnd = highest * step > WIDTH - LEFT - 60;
  return (
    <figure className="figure">
      <div className="legend">
        {series.map(({ name, kind }) => (
          <span key={name} className={kind}>
            {name}
          </span>
        ))}
      </div>
      <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={id}>
        <title id={id}>{title}</title>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid-line" x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
              {formatCount(tick)}
            </text>
          </g>
        ))}
        {days.map(({ day, values }, index) => (
          <Bars key={day} values={values} series={series} x={LEFT + index * step + step * 0.2} width={step * 0.6} y={y} />
        ))}
        {days.map(({ day }, index) => (
          <text
            key={day}
            className={index % 3 === 0 ? undefined : 'odd'}
            x={LEFT + index * step + step / 2}
            y={HEIGHT - 5}
            textAnchor="middle"
          >
            {Number(day.slice(8))}
          </text>
        ))}
        {(totals[highest] ?? 0) > 0 ? (
          <text
            className="value"
            x={LEFT + highest * step + (atTheEnd ? step * 0.8 : step / 2)}
            y={y(totals[highest] ?? 0) - 7}
            textAnchor={atTheEnd ? 'end' : 'middle'}
          >
            {format(totals[highest] ?? 0)}
          </text>
        ) : null}
        <line className="axis" x1={LEFT} x2={WIDTH} y1={BASE + 0.5} y2={BASE + 0.5} />
      </svg>
      <details className="chart-table">
        <summary>Show as table</summary>
        <table className="table">
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ name }) => (
                <th key={name} scope="col" className="right">
                  {name}, {unit}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, values }) => (
              <tr key={day}>
                <th scope="row" className="mono">
                  {day}
                </th>
                {series.map(({ name }, index) => (
                  <td key={name} className="right mono">
                    {format(values[index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

interface BarsProps {
  readonly values: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly x: number;
  readonly width: number;
  readonly y: (value: number) => number;
}

function Bars({ values, series, x, width, y }: BarsProps) {
  let below = 0;
  return series.map(({ name, kind }, index) => {
    const value = values[index] ?? 0;
    const bottom = y(below);
    below += value;
    const top = y(below);
    return value > 0 ? <rect key={name} className={kind} x={x} y={top} width={width} height={Math.max(1, bottom - top)} /> : null;
  });
}

/** A line of 1.25 px without area or axis. Decorative, beside its figure. */
export function Sparkline({ values, width = 78 }: { readonly values: readonly number[]; readonly width?: number }) {
  if (values.length < 2) return null;
  const highest = Math.max(...values, 1);
  const points = values.map(
    (value, index) => `${((index * width) / (values.length - 1)).toFixed(1)},${(18 - (value / highest) * 16).toFixed(1)}`,
  );
  return (
    <svg className="spark" width={width} height="20" viewBox={`0 0 ${width} 20`} aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}
