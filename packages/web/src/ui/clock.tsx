/** Time that runs out, over a ruler with one mark per hour (or per day). Under it stands what happens at zero. */
import './clock.css';
import type { ReactNode } from 'react';
import { parseTime } from './format.ts';
import { Time } from './time.tsx';
import { useNow } from './visitor.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LONGEST_BY_HOURS = 72 * HOUR;

export interface ClockProps {
  readonly from: string | number;
  readonly until: string | number;
  /** What silence leads to, as a sentence. */
  readonly children?: ReactNode;
  /** Shown instead of a negative time. */
  readonly over?: string;
}

export function Clock({ from, until, children, over = 'Time is up' }: ClockProps) {
  const now = useNow();
  const start = parseTime(from).getTime();
  const end = parseTime(until).getTime();
  const left = Math.max(0, end - now);
  const unit = end - start > LONGEST_BY_HOURS ? DAY : HOUR;
  const marks = Math.max(1, Math.round((end - start) / unit));
  const used = Math.min(marks, Math.max(0, Math.floor((now - start) / unit)));
  const hours = Math.floor(left / HOUR);
  const minutes = Math.floor((left % HOUR) / MINUTE);
  const unitWord = unit === DAY ? 'day' : 'hour';
  return (
    <div className="clock">
      <div className="left" role="timer" aria-label={left === 0 ? over : `${hours} hours ${minutes} minutes left`}>
        {left === 0 ? (
          <span className="over">{over}</span>
        ) : (
          <>
            {hours}
            <small>h</small>
            {String(minutes).padStart(2, '0')}
            <small>min</small>
          </>
        )}
      </div>
      <Ruler marks={marks} used={used} long={unit === DAY ? 7 : 12} label={`${used} of ${marks} ${unitWord}s used`} />
      <div className="ends">
        <Time at={from} style="minute" />
        <span>one mark is one {unitWord}</span>
        <Time at={until} style="minute" />
      </div>
      {children === undefined ? null : <p className="note">{children}</p>}
    </div>
  );
}

export interface RulerProps {
  readonly marks: number;
  readonly used: number;
  /** Every so many marks a taller one. */
  readonly long: number;
  readonly label: string;
}

const WIDTH = 480;
const MOST_MARKS = 160;

/** Used marks are thin, those left are thick. Also for quotas: one mark per output. */
export function Ruler({ marks, used, long, label }: RulerProps) {
  const shown = Math.min(marks, MOST_MARKS);
  const usedShown = Math.round((used / marks) * shown);
  return (
    <svg className="ruler" viewBox={`0 0 ${WIDTH} 24`} preserveAspectRatio="none" role="img" aria-label={label}>
      {Array.from({ length: shown + 1 }, (_, index) => {
        const x = Math.min(WIDTH - 1.5, Math.max(1.5, (index * WIDTH) / shown));
        const top = index % long === 0 || index === shown ? 0 : 10;
        // biome-ignore lint/suspicious/noArrayIndexKey: a mark is its place
        return <path key={index} className={index < usedShown ? 'used' : undefined} d={`M${x.toFixed(1)} ${top}V24`} />;
      })}
    </svg>
  );
}
