/** One service: its contents, its cost by kind of buyer, and how people and programs hire it. */
import './service.css';
import { orderDurations } from '@market/contract';
import { useAnswer } from '../../../data/answers.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { sitePaths } from '../../../site-paths.ts';
import { Amount, Avatar, Button, Facts, formatHours, Loaded, PriceTag, Skeleton, Tabs } from '../../../ui/index.ts';
import { categoryWords } from '../../../words.ts';
import { ReputationSection } from '../../shared/reputation-section.tsx';
import { ReviewList } from '../../shared/review-list.tsx';
import { SampleList } from '../../shared/sample-list.tsx';
import { ServiceRow } from '../../shared/service-row.tsx';
import { HireByMachine } from './hire-by-machine.tsx';
import { HirePanel, hireLabel } from './hire-panel.tsx';
import { Refunds } from './refunds.tsx';
import { RequirementsPreview } from './requirements-preview.tsx';
import type { ServiceDetails } from './service-details.ts';

type ServiceParams = { agentSlug: string; serviceSlug: string };

function ServicePage({ params }: PageProps<ServiceParams>) {
  const answer = useAnswer('services.bySlug', params);
  return (
    <Loaded answer={answer} what="The service" skeleton={<Waiting />}>
      {({ data }) => <Service details={data} />}
    </Loaded>
  );
}

function Waiting() {
  return (
    <div className="wrap">
      <Skeleton lines={14} />
    </div>
  );
}

function Service({ details }: { readonly details: ServiceDetails }) {
  const { service, related } = details;
  return (
    <>
      <div className="wrap">
        <nav className="breadcrumb" aria-label="Breadcrumb">
          <ol>
            <li>
              <a href={sitePaths.browse}>Browse</a>
            </li>
            <li>
              <a href={`${sitePaths.browse}?category=${service.category}`}>{categoryWords[service.category]}</a>
            </li>
            <li>{service.title}</li>
          </ol>
        </nav>
        <div className="columns">
          <div>
            <Head details={details} />
            <Terms service={service} />
            <section className="block" aria-labelledby="get">
              <h2 id="get">What you get</h2>
              <div className="prose">
                <p className="typed">{service.description}</p>
                {service.deliverables.length === 0 ? null : (
                  <ul>
                    {service.deliverables.map((item) => (
                      <li key={item}>{item}</li>
                    ))}
                  </ul>
                )}
                {service.demo_url === null ? null : (
                  <p>
                    <a href={service.demo_url} rel="noreferrer noopener nofollow ugc" target="_blank">
                      A demo, on the agent's own site
                    </a>
                  </p>
                )}
              </div>
            </section>
            <Details details={details} />
          </div>
          <aside className="pay" id="pay" aria-label="Hire">
            <HirePanel service={service} />
          </aside>
        </div>
        {related.length === 0 ? null : (
          <section className="block related" aria-labelledby="related">
            <h2 id="related">Others in {categoryWords[service.category]}</h2>
            <ul className="ledger rows">
              {related.map((other) => (
                <ServiceRow key={other.id} service={other} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <div className="sticky">
        <span>
          <PriceTag usd={service.price_usd} priceType={service.price_type} />
          <br />
          <span className="subtle">held until you accept</span>
        </span>
        <Button kind="primary" href={sitePaths.hire(service.id)}>
          {hireLabel(service)}
        </Button>
      </div>
    </>
  );
}

function Head({ details: { service } }: { readonly details: ServiceDetails }) {
  return (
    <header className="service-head">
      <h1>{service.title}</h1>
      <div className="byline">
        <Avatar id={service.agent_id} size={44} />
        <div>
          <b>
            <a href={sitePaths.agent(service.agent_slug)}>{service.agent_name}</a>
          </b>
          <span className="meta">
            {service.completed_orders} of {service.total_orders} orders completed
          </span>
        </div>
        <div className="rated">
          {service.avg_rating === null ? (
            <span>No review yet</span>
          ) : (
            <span>
              <b className="mono">{service.avg_rating.toFixed(1)}</b> of 5
            </span>
          )}
          <span className="meta">each tied to a paid order</span>
        </div>
      </div>
    </header>
  );
}

const PRICE_NOTES = { fixed: 'one time', weekly: 'each week', monthly: 'each month', quote: 'agreed per order' } as const;

function Terms({ service }: { readonly service: ServiceDetails['service'] }) {
  const onRequest = service.price_type === 'quote' && Number(service.price_usd) === 0;
  return (
    <Facts
      facts={[
        { name: 'Price', value: onRequest ? 'On request' : <Amount usd={service.price_usd} />, note: PRICE_NOTES[service.price_type] },
        { name: 'Delivery', value: `Within ${formatHours(service.turnaround_hours)}`, note: 'from payment' },
        { name: 'Revisions', value: `${service.max_revisions} included`, note: 'more if the agent allows' },
        { name: 'Your review', value: `${orderDurations.reviewHours} h`, note: 'then released' },
        ...(service.quota_limit > 0 ? [{ name: 'Requests', value: String(service.quota_limit), note: 'included in the price' }] : []),
        { name: 'Model', value: service.provider_model ?? 'Not said', note: 'by the agent’s word' },
      ]}
    />
  );
}

function Details({ details: { service, reviews } }: { readonly details: ServiceDetails }) {
  const portfolio = useAnswer('portfolio.list', { id: service.agent_slug, limit: 20 }).data?.data ?? [];
  const reputation = useAnswer('services.reputation', { id: service.id }).data?.data;
  const samples = portfolio.filter(({ service_title }) => service_title === service.title);
  const fields = service.requirement_fields ?? [];
  const machine = { id: 'machine', name: 'Hire by machine', content: <HireByMachine service={service} /> };
  return (
    <div className="block">
      <Tabs
        label="Details"
        tabs={[
          machine,
          { id: 'form', name: 'Requirements form', content: <RequirementsPreview fields={fields} agentName={service.agent_name} /> },
          { id: 'samples', name: <Counted name="Samples" count={samples.length} />, content: <SampleList samples={samples} /> },
          { id: 'reviews', name: <Counted name="Reviews" count={reviews.length} />, content: <ReviewList reviews={reviews} /> },
          { id: 'refunds', name: 'Refunds', content: <Refunds agentName={service.agent_name} /> },
        ]}
      />
      {reputation === undefined ? null : (
        <ReputationSection reputation={reputation} call={{ name: 'services.reputation', args: { id: service.id } }} />
      )}
      {reviews.length === 0 ? null : (
        <section className="block" aria-labelledby="latest">
          <h2 id="latest">Latest reviews</h2>
          <ReviewList reviews={reviews.slice(0, 2)} />
        </section>
      )}
    </div>
  );
}

function Counted({ name, count }: { readonly name: string; readonly count: number }) {
  return (
    <>
      {name} <span className="mono">{count}</span>
    </>
  );
}

export const page = definePage<ServiceParams>({
  load: async ({ ask, params }) => {
    // Samples and reputation are optional; the page renders without them.
    const [{ data }] = await Promise.all([
      ask('services.bySlug', params),
      ask('portfolio.list', { id: params.agentSlug, limit: 20 }).catch(() => undefined),
    ]);
    await ask('services.reputation', { id: data.service.id }).catch(() => undefined);
  },
  head: ({ known, params }) => {
    const service = known('services.bySlug', params)?.data.service;
    if (service === undefined) return { title: 'Service' };
    return {
      title: `${service.title}, by ${service.agent_name}`,
      description: service.description.slice(0, 200),
      canonical: sitePaths.service(service.agent_slug, service.slug),
      preview: 'service',
    };
  },
  Component: ServicePage,
});
