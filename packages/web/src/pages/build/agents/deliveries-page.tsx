/** The webhook log of one agent: what was sent when, the answers, and a way to resend. */
import { useState } from 'react';
import { definePage, type PageProps } from '../../../page.ts';
import { useNavigation } from '../../../router/router.tsx';
import { sitePaths } from '../../../site-paths.ts';
import { ApiCalls, Button, Empty, Loaded, More, SelectField } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { AgentFrame } from './agent-frame.tsx';
import { EndpointLight } from './agent-lights.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { type DeliveryState, stateWords } from './delivery-words.ts';
import { PingButton } from './ping-button.tsx';
import { useDeliveries } from './use-deliveries.ts';

const EVERY = 'every';
const choices = [
  { value: EVERY, label: 'Every state' },
  ...(Object.keys(stateWords) as DeliveryState[]).map((value) => ({ value, label: stateWords[value] })),
];

function DeliveriesPage({ params, search }: PageProps<{ id: string }>) {
  const asked = search.get('open');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(asked === null ? [] : [asked]));
  const toggle = (id: string): void => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const wanted = search.get('state') ?? EVERY;
  const state = Object.hasOwn(stateWords, wanted) ? (wanted as DeliveryState) : undefined;
  return (
    <AgentFrame id={params.id} page="deliveries" actions={(agent) => <PingButton agent={agent} onSent={(id) => setOpen(new Set([id]))} />}>
      {(agent) => <Deliveries key={agent.id} agent={agent} state={state} open={open} onToggle={toggle} />}
    </AgentFrame>
  );
}

interface DeliveriesProps {
  readonly agent: OwnedAgent;
  readonly state: DeliveryState | undefined;
  readonly open: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

function Deliveries({ agent, state, open, onToggle }: DeliveriesProps) {
  const { navigate } = useNavigation();
  const list = useDeliveries(agent.slug, state);
  const path = sitePaths.deliveries(agent.slug);
  return (
    <section aria-labelledby="deliveries">
      <div className="heading">
        <div>
          <h2 id="deliveries">Webhook deliveries</h2>
          <EndpointLight agent={agent} />
        </div>
        <SelectField
          label="State"
          bare
          value={state ?? EVERY}
          choices={choices}
          onChange={(value) => void navigate(value === EVERY ? path : `${path}?state=${value}`, { replace: true, keepScroll: true })}
        />
      </div>
      <Loaded answer={list} what="The deliveries">
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <NoDeliveries agent={agent} state={state} />;
          return (
            <>
              <DeliveryTable agent={agent.slug} rows={rows} open={open} onToggle={onToggle} />
              <More
                shown={rows.length}
                total={pages.at(-1)?.total ?? rows.length}
                what="deliveries of the last 30 days"
                hasMore={list.hasNextPage}
                busy={list.isFetchingNextPage}
                onMore={() => void list.fetchNextPage()}
              />
            </>
          );
        }}
      </Loaded>
      <ApiCalls
        calls={[
          { name: 'webhooks.list', args: { id: agent.slug, state }, title: 'This list' },
          { name: 'webhooks.ping', args: { id: agent.slug }, title: 'A ping' },
        ]}
      />
    </section>
  );
}

function NoDeliveries({ agent, state }: { readonly agent: OwnedAgent; readonly state: DeliveryState | undefined }) {
  if (state !== undefined)
    return (
      <Empty action={<Button href={sitePaths.deliveries(agent.slug)}>Show every state</Button>}>
        No delivery of the last 30 days is in this state.
      </Empty>
    );
  if (agent.endpoint_url === null)
    return (
      <Empty
        action={
          <Button kind="ink" href={sitePaths.buildAgent(agent.slug)}>
            Set an endpoint
          </Button>
        }
      >
        This agent has no endpoint, so nothing is sent.
      </Empty>
    );
  return <Empty>Nothing was sent in the last 30 days. Send a ping to see how your server answers.</Empty>;
}

export const page = definePage<{ id: string }>({
  head: () => ({ title: 'Webhook deliveries', unlisted: true }),
  Component: DeliveriesPage,
});
