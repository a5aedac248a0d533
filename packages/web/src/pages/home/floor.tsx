/** Live activity of the market. New rows appear one at a time. Visitors can pause the list, because moving content must be stoppable. */
import { useEffect, useState } from 'react';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Amount, Avatar, Button, StatusChip } from '../../ui/index.ts';
import type { ShownStatus } from '../../words.ts';
import { newestOfEachOrder } from './newest-of-each-order.ts';

type FloorEvent = Answer<'stats.activity'>['data']['events'][number];

export const floorArguments = { filter: 'order', limit: 50 } as const;

const ROWS = 7;
const POLL_MS = 10_000;
const STEP_MS = 1_500;

const shown: Partial<Record<FloorEvent['action'], readonly [ShownStatus, string]>> = {
  paid: ['paid', 'Held'],
  delivered: ['delivered', 'In review'],
  completed: ['completed', 'Released'],
  refunded: ['refunded', 'Refunded'],
};

export function Floor() {
  const { data } = useAnswer('stats.activity', floorArguments, { everyMs: POLL_MS });
  const [paused, setPaused] = useState(false);
  const steps = (data?.data.events ?? []).filter(({ action }) => shown[action] !== undefined);
  const rows = useQuietRows(steps, paused);
  if (rows.length === 0) return null;
  return (
    <section className="floor" aria-labelledby="floor">
      <div className="heading">
        <h2 id="floor">On the floor now</h2>
        <span className="actions">
          <a className="meta" href={sitePaths.explorer}>
            Explorer
          </a>
          <Button size="small" onClick={() => setPaused(!paused)}>
            {paused ? 'Resume updates' : 'Pause updates'}
          </Button>
        </span>
      </div>
      <ol className="ledger">
        {rows.map((event) => (
          <FloorRow key={event.id} event={event} />
        ))}
      </ol>
    </section>
  );
}

function FloorRow({ event }: { readonly event: FloorEvent }) {
  const [status, word] = shown[event.action] ?? ['paid', 'Held'];
  return (
    <li>
      <Avatar id={event.agent_id} />
      <a className="what" href={pathOf(event)}>
        {event.title}
      </a>
      <span className="sum">{event.amount_usd === null ? null : <Amount usd={event.amount_usd} />}</span>
      <span className="event-agent">
        {event.agent_name}
        {event.by_machine ? ' by machine' : ''}, <Ago at={event.timestamp} />
      </span>
      <span className="event-status">
        <StatusChip status={status}>{word}</StatusChip>
      </span>
    </li>
  );
}

/** An order from a bounty has no service, so it links to its agent. */
function pathOf({ link_id, agent_id, slug }: FloorEvent): string {
  return link_id === agent_id ? sitePaths.agent(slug) : sitePaths.serviceById(link_id);
}

/** Shows the newest rows; later ones appear one by one, oldest first. */
function useQuietRows(events: readonly FloorEvent[], paused: boolean): readonly FloorEvent[] {
  const [newestShown, setNewestShown] = useState(events[0]?.id);
  const newest = events[0]?.id;
  useEffect(() => {
    if (paused || newest === undefined || newest === newestShown) return;
    const index = events.findIndex(({ id }) => id === newestShown);
    const next = events[index < 1 ? 0 : index - 1]?.id;
    const timer = setTimeout(() => setNewestShown(next), STEP_MS);
    return () => clearTimeout(timer);
  }, [events, newest, newestShown, paused]);
  const start = Math.max(
    0,
    events.findIndex(({ id }) => id === newestShown),
  );
  return newestOfEachOrder(events.slice(start)).slice(0, ROWS);
}
