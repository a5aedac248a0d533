/** One agent: its identity, its owner, its services and its results. All figures are measured, none is claimed. */
import './agent.css';
import { useState } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { useFacts } from '../../data/site-facts.ts';
import { usePages } from '../../data/use-pages.ts';
import { definePage, type PageProps } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import {
  Avatar,
  Button,
  CodePanel,
  composeApiCall,
  Empty,
  Facts,
  formatCount,
  formatHours,
  Hash,
  Loaded,
  More,
  PriceTag,
  Tabs,
  Time,
  useVisitor,
} from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import { AgentLight, warningOf } from '../shared/agent-light.tsx';
import { MorePages } from '../shared/more-pages.tsx';
import { firstPeriod, PriceChart } from '../shared/price-chart.tsx';
import { ReputationSection } from '../shared/reputation-section.tsx';
import { ReviewList } from '../shared/review-list.tsx';
import { SampleList } from '../shared/sample-list.tsx';
import { RecordedTokenFacts, TokenFacts } from '../shared/token-facts.tsx';
import type { AgentProfile } from './agent-profile.ts';

type AgentParams = { idOrSlug: string };

function AgentPage({ params }: PageProps<AgentParams>) {
  const answer = useAnswer('agents.get', { id: params.idOrSlug });
  return (
    <div className="wrap">
      <Loaded answer={answer} what="The agent">
        {({ data }) => <Agent profile={data} />}
      </Loaded>
    </div>
  );
}

function Agent({ profile }: { readonly profile: AgentProfile }) {
  const { agent, portfolio, paging } = profile;
  const warning = warningOf(agent.presence);
  return (
    <>
      <nav className="breadcrumb" aria-label="Breadcrumb">
        <ol>
          <li>
            <a href={sitePaths.browse}>Browse</a>
          </li>
          <li>
            <a href={`${sitePaths.browse}?tab=agents`}>Agents</a>
          </li>
        </ol>
      </nav>
      <header className="agent-head">
        <Avatar id={agent.id} size={96} />
        <div>
          <h1>{agent.name}</h1>
          <Proof agent={agent} />
          {warning === undefined ? null : <p className="note">{warning}</p>}
        </div>
        <p className="lead typed">{agent.description}</p>
      </header>
      <Record profile={profile} />
      <ReputationSection reputation={profile.stats.reputation} call={{ name: 'agents.reputation', args: { id: agent.slug } }} />
      {agent.token === null ? null : <TokenSection slug={agent.slug} recorded={agent.token} />}
      <section className="block" aria-labelledby="services">
        <h2 id="services">Services</h2>
        <Services profile={profile} />
      </section>
      <div className="block">
        <Tabs
          label="About this agent"
          tabs={[
            { id: 'reviews', name: <Counted name="Reviews" count={paging.reviews.total} />, content: <Reviews profile={profile} /> },
            { id: 'work', name: <Counted name="Work" count={paging.portfolio.total} />, content: <SampleList samples={portfolio} /> },
            { id: 'machines', name: 'For machines', content: <ForMachines agent={agent} /> },
          ]}
        />
      </div>
      <div className="end-space" />
    </>
  );
}

interface TokenSectionProps {
  readonly slug: string;
  readonly recorded: NonNullable<AgentProfile['agent']['token']>;
}

function TokenSection({ slug, recorded }: TokenSectionProps) {
  const token = useAnswer('tokens.get', { id: slug });
  return (
    <section className="block stack" aria-labelledby="token">
      <h2 id="token">Token</h2>
      <Loaded answer={token} what="The token" skeleton={<RecordedTokenFacts token={recorded} />}>
        {({ data }) => <TokenFacts token={data} />}
      </Loaded>
      <PriceChart slug={slug} symbol={recorded.symbol} />
      <p className="note">A signal of the market beside the reviews. The marketplace promises nothing about it.</p>
    </section>
  );
}

/** The owner of the agent, and how it takes orders, in one line. */
function Proof({ agent }: { readonly agent: AgentProfile['agent'] }) {
  return (
    <p className="facts-line">
      <AgentLight presence={agent.presence} />
      {agent.owner_wallet === null ? (
        <span>{agent.marketable ? 'Owner proved by account' : 'No owner yet: not on the market'}</span>
      ) : (
        <span>
          Owner proved by wallet <Hash value={agent.owner_wallet} what="owner's wallet" />
        </span>
      )}
      <span>{agent.has_endpoint ? 'Takes orders by webhook' : 'Fetches its orders itself'}</span>
      {agent.verified === 1 ? <span>Verified</span> : null}
      {agent.partner_badge === null ? null : <span>{agent.partner_badge}</span>}
      {agent.is_owner ? <a href={sitePaths.sell}>Yours: open the console</a> : null}
    </p>
  );
}

function Record({ profile: { agent, stats } }: { readonly profile: AgentProfile }) {
  const { locale } = useVisitor();
  return (
    <Facts
      facts={[
        {
          name: 'Completed',
          value: formatCount(stats.completed_orders, locale),
          note: `of ${formatCount(stats.total_orders, locale)} orders`,
        },
        stats.avg_rating === null
          ? { name: 'Rating', value: 'None yet', note: 'no review so far' }
          : { name: 'Rating', value: `${stats.avg_rating.toFixed(1)} of 5`, note: 'from paid orders only' },
        {
          name: 'Services',
          value: formatCount(stats.services_count, locale),
          note: agent.capabilities.map((kind) => categoryWords[kind]).join(', '),
        },
        {
          name: 'Works with',
          value: agent.ai_models[0] ?? 'Not said',
          note: agent.ai_models.slice(1).join(', ') || 'models, by its own word',
        },
        { name: 'Here since', value: <Time at={agent.created_at} style="day" />, note: agent.slug },
      ]}
    />
  );
}

/** The newest services come with the agent, the others on demand. */
function Services({ profile: { agent, services, paging } }: { readonly profile: AgentProfile }) {
  const [all, showAll] = useState(false);
  if (services.length === 0)
    return <Empty action={<Button href={sitePaths.browse}>Browse services</Button>}>This agent offers nothing right now.</Empty>;
  if (all) return <AllServices slug={agent.slug} first={services} />;
  const { total, next_cursor } = paging.services;
  return (
    <>
      <ServiceRows services={services} />
      {next_cursor === null ? null : (
        <More shown={services.length} total={total} what="services" hasMore busy={false} onMore={() => showAll(true)} />
      )}
    </>
  );
}

function AllServices({ slug, first }: { readonly slug: string; readonly first: AgentProfile['services'] }) {
  const list = usePages('services.listOfAgent', { id: slug, limit: 50 });
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? first;
  return (
    <>
      <ServiceRows services={rows} />
      <MorePages list={list} shown={rows.length} what="services" />
    </>
  );
}

function ServiceRows({ services }: { readonly services: AgentProfile['services'] }) {
  return (
    <ul className="ledger price-rows">
      {services.map((service) => (
        <li key={service.id}>
          <a href={sitePaths.service(service.agent_slug, service.slug)}>{service.title}</a>
          <PriceTag usd={service.price_usd} priceType={service.price_type} />
          <span className="meta">
            {categoryWords[service.category]}, within {formatHours(service.turnaround_hours)}, {service.completed_orders} completed
          </span>
          <Button size="small" href={sitePaths.hire(service.id)} label={`${hireWords(service)}: ${service.title}`}>
            {hireWords(service)}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Reviews({ profile: { reviews, recentOrders } }: { readonly profile: AgentProfile }) {
  return (
    <>
      <ReviewList reviews={reviews} />
      {recentOrders.length === 0 ? null : (
        <div className="block">
          <h2>Completed lately</h2>
          <ul className="ledger lately">
            {recentOrders.map(({ service_title, completed_at }) => (
              <li key={`${service_title} ${completed_at}`}>
                <span>{service_title}</span>
                <span className="meta">
                  <Time at={completed_at} style="list" />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function ForMachines({ agent }: { readonly agent: AgentProfile['agent'] }) {
  const { apiUrl } = useFacts();
  return (
    <div className="stack">
      <p className="mute">
        The same page for programs. What can be hired here without an account is in <a href={sitePaths.x402Manifest}>the x402 manifest</a>.
      </p>
      <CodePanel title="This agent, with curl" code={composeApiCall('agents.get', { id: agent.slug }, apiUrl).curl} />
      <CodePanel title="Its services" code={composeApiCall('services.listOfAgent', { id: agent.slug }, apiUrl).curl} />
    </div>
  );
}

function hireWords({ price_type }: AgentProfile['services'][number]): string {
  return price_type === 'quote' ? 'Ask for a price' : 'Hire';
}

function Counted({ name, count }: { readonly name: string; readonly count: number }) {
  return (
    <>
      {name} <span className="mono">{count}</span>
    </>
  );
}

export const page = definePage<AgentParams>({
  load: async ({ ask, params }) => {
    const { agent } = (await ask('agents.get', { id: params.idOrSlug })).data;
    // The page is complete without price history.
    if (agent.token !== null) await ask('tokens.priceHistory', { id: agent.slug, period: firstPeriod }).catch(() => undefined);
  },
  head: ({ known, params }) => {
    const agent = known('agents.get', { id: params.idOrSlug })?.data.agent;
    if (agent === undefined) return { title: 'Agent' };
    return {
      title: `${agent.name}, agent for hire`,
      description: agent.description,
      canonical: sitePaths.agent(agent.slug),
      preview: 'agent',
    };
  },
  Component: AgentPage,
});
