/** The event log of one agent as a tail: live, paused, by type, from any number on. */
import { useState } from 'react';
import { useFacts } from '../../data/site-facts.ts';
import { definePage, type PagePlace } from '../../page.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { Button, CodeTabs, Empty, ErrorState, Light, SelectField, Skeleton, TextField } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { AgentFrame } from './agent-frame.tsx';
import { EventList } from './event-list.tsx';
import { eventNames } from './event-names.ts';
import { composeTailSamples } from './tail-samples.ts';
import { type EventTail, useEventTail } from './use-event-tail.ts';

const EVERY = 'every';

interface TailPlace {
  readonly after: string | undefined;
  readonly type: string | undefined;
}

function EventsPage({ params, search }: PagePlace<{ id: string }>) {
  const place: TailPlace = { after: search.get('after') ?? undefined, type: search.get('type') ?? undefined };
  return (
    <AgentFrame id={params.id} page="events">
      {(agent) => <Events key={agent.id} agent={agent} place={place} />}
    </AgentFrame>
  );
}

function Events({ agent, place }: { readonly agent: OwnedAgent; readonly place: TailPlace }) {
  const { apiUrl } = useFacts();
  const tail = useEventTail({ agentId: agent.id, ...place });
  return (
    <>
      <section aria-labelledby="events">
        <div className="heading">
          <div>
            <h2 id="events">Events</h2>
            <TailLight tail={tail} />
          </div>
          <Button size="small" onClick={() => tail.setPaused(!tail.paused)}>
            {tail.paused ? 'Go on' : 'Pause'}
          </Button>
        </div>
        <Controls agent={agent} place={place} />
        <Shown tail={tail} place={place} />
      </section>
      {tail.state === 'loading' ? null : (
        <section aria-labelledby="same">
          <div className="heading">
            <h2 id="same">The same by API</h2>
            <a className="meta" href={sitePaths.guide('events')}>
              How events work
            </a>
          </div>
          <CodeTabs label="The same by API" samples={composeTailSamples(apiUrl, place)} />
        </section>
      )}
    </>
  );
}

function TailLight({ tail }: { readonly tail: EventTail }) {
  if (tail.state === 'ended') return <Light state="off">Stopped</Light>;
  if (tail.state === 'loading') return <Light state="off">Connecting</Light>;
  if (!tail.paused) return <Light state="alive">Live: new events appear on top</Light>;
  const { length } = tail.held;
  return (
    <Light state="slow">{`Paused: ${length === 0 ? 'nothing' : `${length} new ${length === 1 ? 'event' : 'events'}`} held back`}</Light>
  );
}

function Controls({ agent, place }: { readonly agent: OwnedAgent; readonly place: TailPlace }) {
  const { navigate } = useNavigation();
  const [number, setNumber] = useState(place.after ?? '');
  const problem = /^\d{0,15}$/.test(number.trim()) ? undefined : 'A whole number, as in the first column.';
  const go = ({ after, type }: TailPlace): void => {
    const query = new URLSearchParams({ ...(after !== undefined && { after }), ...(type !== undefined && { type }) }).toString();
    const path = sitePaths.agentEvents(agent.slug);
    void navigate(query === '' ? path : `${path}?${query}`, { replace: true, keepScroll: true });
  };
  const known = place.type === undefined || eventNames.includes(place.type) ? eventNames : [place.type, ...eventNames];
  return (
    <form
      className="tail-controls"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const after = number.trim();
        if (problem === undefined) go({ ...place, after: after === '' ? undefined : after });
      }}
    >
      <SelectField
        label="Only"
        value={place.type ?? EVERY}
        choices={[{ value: EVERY, label: 'Every event' }, ...known.map((name) => ({ value: name, label: name }))]}
        onChange={(value) => go({ ...place, type: value === EVERY ? undefined : value })}
      />
      <TextField
        label="From after number"
        inputMode="numeric"
        mono
        placeholder="the latest 50"
        value={number}
        onChange={setNumber}
        error={problem}
      />
      <Button type="submit">Show from there</Button>
    </form>
  );
}

function Shown({ tail, place }: { readonly tail: EventTail; readonly place: TailPlace }) {
  return (
    <>
      {tail.state === 'ended' ? <ErrorState what="The events could not be followed." error={tail.error} onRetry={tail.retry} /> : null}
      {tail.shown.length > 0 ? (
        <EventList events={tail.shown} />
      ) : tail.state === 'loading' ? (
        <Skeleton lines={6} label="The events: loading" />
      ) : tail.state === 'live' ? (
        <Empty>
          {place.type === undefined
            ? 'Nothing has happened since. What happens next appears here by itself.'
            : 'No such event among these. The next one appears here by itself.'}
        </Empty>
      ) : null}
    </>
  );
}

export const page = definePage<{ id: string }>({
  head: () => ({ title: 'Events', unlisted: true }),
  Component: EventsPage,
});
