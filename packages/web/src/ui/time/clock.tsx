/** A countdown over a ruler with one mark per hour (or per day). The text below says what happens at zero. */
import './clock.css';
import type { ReactNode } from 'react';
import { parseTime } from '../words/format.ts';
import { useNow } from '../words/visitor.ts';
import { Time } from './time.tsx';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LONGEST_BY_HOURS = 72 * HOUR;
const LONGEST_IN_HOURS = 48 * HOUR;

export interface ClockProps {
  readonly from: string | number;
  readonly until: string | number;
  /** The promised time, before `until` ends the wait automatically. */
  readonly promised?: string | number | null;
  /** A sentence about what happens if nobody acts. */
  readonly children?: ReactNode;
  /** Shown instead of a negative time. */
  readonly over?: string;
}

export function Clock({ from, until, promised = null, children, over = 'Time is up' }: ClockProps) {
  const now = useNow();
  const start = parseTime(from).getTime();
  const end = parseTime(until).getTime();
  const promise = promised === null ? undefined : parseTime(promised).getTime();
  const next = promise !== undefined && now < promise ? promise : end;
  const unit = end - start > LONGEST_BY_HOURS ? DAY : HOUR;
  const marks = Math.max(1, Math.round((end - start) / unit));
  const used = Math.min(marks, Math.max(0, Math.floor((now - start) / unit)));
  const unitWord = unit === DAY ? 'day' : 'hour';
  return (
    <div className="clock">
      <TimeLeft ms={Math.max(0, next - now)} over={over} />
      {promise === undefined ? null : (
        <p className="target">{next === promise ? 'to the promised time' : 'after the promised time, to the refund'}</p>
      )}
      <Ruler
        marks={marks}
        used={used}
        long={unit === DAY ? 7 : 12}
        label={`${used} of ${marks} ${unitWord}s used`}
        {...(promise !== undefined && { mark: (promise - start) / (end - start) })}
      />
      <div className="ends">
        <Time at={from} style="list" />
        {promised === null ? (
          <span>one mark is one {unitWord}</span>
        ) : (
          <span>
            promised <Time at={promised} style="list" />
          </span>
        )}
        <Time at={until} style="list" />
      </div>
      {children === undefined ? null : <p className="note">{children}</p>}
    </div>
  );
}

/** Days and hours above 48 hours, hours and minutes below. */
function TimeLeft({ ms, over }: { readonly ms: number; readonly over: string }) {
  if (ms === 0)
    return (
      <div className="left" role="timer" aria-label={over}>
        <span className="over">{over}</span>
      </div>
    );
  const [big, small, bigWord, smallWord] =
    ms > LONGEST_IN_HOURS
      ? ([Math.floor(ms / DAY), Math.floor((ms % DAY) / HOUR), 'days', 'h'] as const)
      : ([Math.floor(ms / HOUR), Math.floor((ms % HOUR) / MINUTE), 'h', 'min'] as const);
  const spoken = bigWord === 'days' ? `${big} days ${small} hours left` : `${big} hours ${small} minutes left`;
  return (
    <div className="left" role="timer" aria-label={spoken}>
      {big}
      <small>{bigWord}</small>
      {String(small).padStart(2, '0')}
      <small>{smallWord}</small>
    </div>
  );
}

export interface RulerProps {
  readonly marks: number;
  readonly used: number;
  /** Interval of the taller marks. */
  readonly long: number;
  readonly label: string;
  /** The marked position, from 0 to 1. */
  readonly mark?: number;
}

const WIDTH = 480;
const MOST_MARKS = 160;

/** Used marks are thin, the remaining ones thick. Also for quotas, with one mark per output. */
export function Ruler({ marks, used, long, label, mark }: RulerProps) {
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
      {mark === undefined ? null : <path className="target" d={`M${(Math.min(1, Math.max(0, mark)) * WIDTH).toFixed(1)} 0V24`} />}
    </svg>
  );
}
