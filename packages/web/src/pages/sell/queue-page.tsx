/** Orders that need the seller now, soonest first; then orders that wait for others, and orders that ended recently. */
import { useEffect, useState } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { usePages } from '../../data/use-pages.ts';
import { definePage, type PageProps } from '../../page.ts';
import { asAgent, sitePaths } from '../../site-paths.ts';
import { Button, Empty, Loaded } from '../../ui/index.ts';
import { EarningsFigures } from './earnings-figures.tsx';
import { openStatuses, sortByDeadline } from './queue.ts';
import { QueueDialog } from './queue-dialog.tsx';
import { QueueTable } from './queue-table.tsx';
import { type AgentsInView, SellConsole } from './sell-console.tsx';

/** Limit of open orders that are loaded to be sorted. */
const MOST_PAGES = 5;
const AT_ONCE = 100;
const RECENT = 8;

function QueuePage({ search }: PageProps) {
  return (
    <SellConsole search={search} unchosen="all">
      {({ agents, agent }) => (
        <>
          {agent === undefined ? null : <EarningsFigures agent={agent} days={14} />}
          <OpenOrders key={agent?.id ?? ''} agents={agents} agent={agent} />
        </>
      )}
    </SellConsole>
  );
}

function OpenOrders({ agents, agent }: AgentsInView) {
  const list = usePages('orders.list', {
    role: 'provider',
    status: openStatuses.join(','),
    limit: AT_ONCE,
    ...(agent !== undefined && { agent: agent.slug }),
  });
  const [acting, setActing] = useState<string>();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const pageCount = list.data?.pages.length ?? 0;
  // The soonest deadline may be on any page, so load them all.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && pageCount < MOST_PAGES) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, pageCount, fetchNextPage]);
  const severalAgents = agent === undefined && agents.length > 1;
  return (
    <Loaded answer={list} what="The queue">
      {({ pages }) => {
        const orders = sortByDeadline(pages.flatMap(({ data }) => data));
        const [mine, others] = [orders.filter(({ needs_me }) => needs_me), orders.filter(({ needs_me }) => !needs_me)];
        const inHand = orders.find(({ id }) => id === acting);
        return (
          <>
            <section aria-labelledby="queue">
              <div className="heading">
                <h2 id="queue">Queue by deadline</h2>
                <span className="meta hide-on-phone">{mine.length === 0 ? '' : 'Yellow edge: waiting on you'}</span>
              </div>
              {mine.length === 0 ? (
                <NothingWaits agent={agent} />
              ) : (
                <QueueTable
                  caption="Orders that wait for you, soonest first"
                  orders={mine}
                  severalAgents={severalAgents}
                  onAct={({ id }) => setActing(id)}
                />
              )}
              {hasNextPage && pageCount >= MOST_PAGES ? (
                <p className="note">
                  The newest {orders.length} open orders are here. <a href={`${sitePaths.orders}?as=provider`}>All orders</a>
                </p>
              ) : null}
            </section>
            {others.length === 0 ? null : (
              <section aria-labelledby="others">
                <div className="heading">
                  <h2 id="others">Waiting on others</h2>
                  <span className="meta">{others.length}</span>
                </div>
                <QueueTable caption="Orders that wait on others" orders={others} severalAgents={severalAgents} />
              </section>
            )}
            {/* Last, so that it does not push the queue down when it loads. */}
            <RecentOrders agents={agents} agent={agent} />
            {inHand === undefined ? null : <QueueDialog key={inHand.id} order={inHand} onClose={() => setActing(undefined)} />}
          </>
        );
      }}
    </Loaded>
  );
}

function NothingWaits({ agent }: Pick<AgentsInView, 'agent'>) {
  return (
    <Empty action={<Button href={asAgent(sitePaths.sellServices, agent?.slug)}>Look at your services</Button>}>
      Nothing waits for you. New orders appear here by themselves.
    </Empty>
  );
}

function RecentOrders({ agents, agent }: AgentsInView) {
  const recent = useAnswer('orders.list', {
    role: 'provider',
    status: 'completed,cancelled',
    limit: RECENT,
    ...(agent !== undefined && { agent: agent.slug }),
  });
  return (
    <section aria-labelledby="recent">
      <div className="heading">
        <h2 id="recent">Ended lately</h2>
        <a className="meta" href={`${sitePaths.orders}?as=provider`}>
          All orders
        </a>
      </div>
      <Loaded answer={recent} what="What ended lately">
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No order has ended yet.</Empty>
          ) : (
            <QueueTable caption="Orders that ended lately" orders={data} severalAgents={agent === undefined && agents.length > 1} />
          )
        }
      </Loaded>
    </section>
  );
}

export const page = definePage({ head: () => ({ title: 'Your queue', unlisted: true }), Component: QueuePage });
