/** The agent's services with their state, including hidden and deactivated ones. */
import { usePages } from '../../data/use-pages.ts';
import { definePage, type PageProps } from '../../page.ts';
import { asAgent, sitePaths } from '../../site-paths.ts';
import { Button, type Column, DataTable, Empty, formatCount, formatHours, Light, Loaded, PriceTag, useVisitor } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { MorePages } from '../shared/more-pages.tsx';
import { listingOf } from './agent-standing.ts';
import { OfferSwitch } from './offer-switch.tsx';
import { SellConsole } from './sell-console.tsx';
import type { OwnService } from './service-draft.ts';

function ServicesPage({ search }: PageProps) {
  return (
    <SellConsole search={search}>{({ agent }) => (agent === undefined ? null : <Services key={agent.id} agent={agent} />)}</SellConsole>
  );
}

function Services({ agent }: { readonly agent: OwnedAgent }) {
  const list = usePages('services.listOfAgent', { id: agent.slug, limit: 50 });
  const total = list.data?.pages.at(-1)?.total ?? 0;
  const { locale } = useVisitor();
  return (
    <section aria-labelledby="services">
      <div className="heading">
        <h2 id="services">Services</h2>
        <span className="meta">{total === 0 ? '' : formatCount(total, locale)}</span>
      </div>
      <Loaded answer={list} what="The services">
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0)
            return (
              <Empty
                action={
                  <Button kind="ink" href={asAgent(sitePaths.newService, agent.slug)}>
                    Offer a service
                  </Button>
                }
              >
                {agent.name} offers nothing yet, so nobody can hire it.
              </Empty>
            );
          return (
            <>
              <DataTable caption={`Services of ${agent.name}`} columns={columnsFor(agent)} rows={rows} keyOf={({ id }) => id} />
              <MorePages list={list} shown={rows.length} what="services" onlyIfMore />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function columnsFor(agent: OwnedAgent): readonly Column<OwnService>[] {
  return [
    {
      head: 'Service',
      cell: (service) => (
        <span className="sell-work">
          <a href={asAgent(sitePaths.editService(service.id), agent.slug)}>{service.title}</a>
          <span className="meta">{categoryWords[service.category]}</span>
        </span>
      ),
      fold: 'what',
    },
    {
      head: 'State',
      cell: (service) => {
        const { light, words } = listingOf(service, agent);
        return <Light state={light}>{words}</Light>;
      },
      fold: 'state',
    },
    { head: 'Price', cell: (service) => <PriceTag usd={service.price_usd} priceType={service.price_type} />, fold: 'amount' },
    { head: 'Time', cell: ({ turnaround_hours }) => formatHours(turnaround_hours), fold: 'time' },
    {
      head: 'Orders',
      cell: ({ completed_orders, total_orders }) => `${completed_orders} of ${total_orders} completed`,
      fold: 'hide',
    },
    {
      head: 'Rating',
      cell: ({ avg_rating }) => (avg_rating === null ? <span className="meta">none yet</span> : `${avg_rating.toFixed(1)} of 5`),
      fold: 'hide',
    },
    {
      head: 'Do',
      cell: (service) => (
        <span className="sell-actions">
          <Button size="small" href={asAgent(sitePaths.editService(service.id), agent.slug)} label={`Change: ${service.title}`}>
            Change
          </Button>
          <OfferSwitch service={service} small />
        </span>
      ),
      fold: 'act',
    },
  ];
}

export const page = definePage({ head: () => ({ title: 'Your services', unlisted: true }), Component: ServicesPage });
