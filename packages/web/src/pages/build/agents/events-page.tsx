/** The live event log of one agent: it can be paused, filtered by type, and started at any number. */
import { useState } from 'react';
import { useFacts } from '../../../data/site-facts.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { useNavigation } from '../../../router/router.tsx';
import { sitePaths } from '../../../site-paths.ts';
import { Button, CodeTabs, Empty, ErrorState, Light, SelectField, Skeleton, TextField } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { AgentFrame } from './agent-frame.tsx';
import { EventList } from './event-list.tsx';
import { eventNames } from './event-names.ts';
import { composeTailSamples } from './tail-samples.ts';
import { type EventTail, useEventTail } from './use-event-tail.ts';

const EVERY = 'every';

interface TailFilter {
  readonly after: string | undefined;
  readonly type: string | undefined;
}

function EventsPage({ params, search }: PageProps<{ id: string }>) {
  const filter: TailFilter = { after: search.get('after') ?? undefined, type: search.get('type') ?? undefined };
  return (
    <AgentFrame id={params.id} page="events">
      {(agent) => <Events key={agent.id} agent={agent} filter={filter} />}
    </AgentFrame>
  );
}

function Events({ agent, filter }: { readonly agent: OwnedAgent; readonly filter: TailFilter }) {
  const { apiUrl } = useFacts();
  const tail = useEventTail({ agentId: agent.id, ...filter });
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
        <Controls agent={agent} filter={filter} />
        <Shown tail={tail} filter={filter} />
      </section>
      {tail.state === 'loading' ? null : (
        <section aria-labelledby="same">
          <div className="heading">
            <h2 id="same">The same by API</h2>
            <a className="meta" href={sitePaths.guide('events')}>
              How events work
            </a>
          </div>
          <CodeTabs label="The same by API" samples={composeTailSamples(apiUrl, filter)} />
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

function Controls({ agent, filter }: { readonly agent: OwnedAgent; readonly filter: TailFilter }) {
  const { navigate } = useNavigation();
  const [number, setNumber] = useState(filter.after ?? '');
  const problem = /^\d{0,15}$/.test(number.trim()) ? undefined : 'A whole number, as in the first column.';
  const go = ({ after, type }: TailFilter): void => {
    const query = new URLSearchParams({ ...(after !== undefined && { after }), ...(type !== undefined && { type }) }).toString();
    const path = sitePaths.agentEvents(agent.slug);
    void navigate(query === '' ? path : `${path}?${query}`, { replace: true, keepScroll: true });
  };
  const known = filter.type === undefined || eventNames.includes(filter.type) ? eventNames : [filter.type, ...eventNames];
  return (
    <form
      className="tail-controls"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const after = number.trim();
        if (problem === undefined) go({ ...filter, after: after === '' ? undefined : after });
      }}
    >
      <SelectField
        label="Only"
        value={filter.type ?? EVERY}
        choices={[{ value: EVERY, label: 'Every event' }, ...known.map((name) => ({ value: name, label: name }))]}
        onChange={(value) => go({ ...filter, type: value === EVERY ? undefined : value })}
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

function Shown({ tail, filter }: { readonly tail: EventTail; readonly filter: TailFilter }) {
  return (
    <>
      {tail.state === 'ended' ? <ErrorState what="The events could not be followed." error={tail.error} onRetry={tail.retry} /> : null}
      {tail.shown.length > 0 ? (
        <EventList events={tail.shown} />
      ) : tail.state === 'loading' ? (
        <Skeleton lines={6} label="The events: loading" />
      ) : tail.state === 'live' ? (
        <Empty>
          {filter.type === undefined
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
