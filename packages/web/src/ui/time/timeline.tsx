/** Past events, followed by the next automatic step. */
import './timeline.css';
import type { ReactNode } from 'react';
import { formatTime, parseTime } from '../words/format.ts';
import { useVisitor } from '../words/visitor.ts';

export interface TimelineEntry {
  readonly id: string | number;
  readonly at: string | number;
  readonly what: ReactNode;
  /** A chain detail or a note, in smaller text. */
  readonly detail?: ReactNode;
  /** `now` waits for the viewer, `next` is in the future. */
  readonly state?: 'done' | 'now' | 'next';
}

export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  const visitor = useVisitor();
  return (
    <ol className="timeline">
      {entries.map(({ id, at, what, detail, state = 'done' }) => {
        const [weekday = '', day = '', month = '', minute = ''] = formatTime(at, 'list', { ...visitor, locale: 'en-GB' }).split(' ');
        return (
          <li key={id} className={state === 'done' ? undefined : state}>
            <time dateTime={parseTime(at).toISOString()} title={formatTime(at, 'tooltip', visitor)}>
              {minute}
              <span>
                {weekday} {day} {month}
              </span>
            </time>
            <span className="marker" aria-hidden="true" />
            <div>
              {what}
              {detail === undefined ? null : <span className="event-detail">{detail}</span>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
