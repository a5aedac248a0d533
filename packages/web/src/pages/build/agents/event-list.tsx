import { sitePaths } from '../../../site-paths.ts';
import { CopyButton, parseTime, shorten, Time, useNow } from '../../../ui/index.ts';
import type { MarketEvent } from './event-tail-state.ts';

const GLIMPSE = 140;

/** Younger events show only the time of day. */
const SAME_DAY_MS = 12 * 3_600_000;

export function EventList({ events }: { readonly events: readonly MarketEvent[] }) {
  const now = useNow();
  return (
    <ol className="ledger tail" aria-label="Events, newest first">
      {events.map((event) => (
        <li key={event.id}>
          <span className="mono sequence">{event.seq}</span>
          <span className="mono time">
            <Time at={event.created_at} style={now - parseTime(event.created_at).getTime() < SAME_DAY_MS ? 'moment' : 'list'} />
          </span>
          <b className="mono name">{event.event}</b>
          <span className="about">
            {event.order_id === null ? null : (
              <a className="mono" href={sitePaths.order(event.order_id)} title={event.order_id}>
                {shorten(event.order_id)}
              </a>
            )}
            <CopyButton text={JSON.stringify(event, null, 2)} what={`event ${event.seq} as JSON`} />
          </span>
          <Data event={event} />
        </li>
      ))}
    </ol>
  );
}

/** One line; expands to the full JSON. */
function Data({ event }: { readonly event: MarketEvent }) {
  const line = JSON.stringify(event.data);
  if (line === '{}') return null;
  return (
    <details className="data">
      <summary className="mono">{line.length > GLIMPSE ? `${line.slice(0, GLIMPSE)}…` : line}</summary>
      <p className="mono whole">{JSON.stringify(event, null, 2)}</p>
    </details>
  );
}
