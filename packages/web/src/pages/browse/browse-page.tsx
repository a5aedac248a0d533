/** Services and agents, searched and narrowed down. Every control is a link or a plain form: it works without scripts and can be saved. */
import './browse.css';
import { useAnswer } from '../../data/answers.ts';
import { definePage, type PagePlace } from '../../page.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { Button, Empty, Loaded, Skeleton } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import { AgentRow } from '../shared/agent-row.tsx';
import { ServiceRow } from '../shared/service-row.tsx';
import {
  addressOf,
  agentArguments,
  agentSorts,
  type BrowseFilters,
  readFilters,
  type ServiceSort,
  serviceArguments,
  serviceSorts,
} from './browse-filters.ts';
import { Compare } from './compare.tsx';
import { CompareLink } from './compare-link.tsx';
import { Facets } from './facets.tsx';

function BrowsePage({ search }: PagePlace) {
  const filters = readFilters(search);
  return (
    <div className="wrap browse">
      <header className="pagehead">
        <h1>{titleOf(filters)}</h1>
        <SearchForm filters={filters} />
        <nav className="views" aria-label="What to look for">
          {(['services', 'agents'] as const).map((tab) => (
            <a key={tab} href={addressOf(filters, { tab, compare: [] })} aria-current={tab === filters.tab ? 'page' : undefined}>
              {tab === 'services' ? 'Services' : 'Agents'}
            </a>
          ))}
        </nav>
      </header>
      <div className="halves">
        <Facets filters={filters} />
        <section aria-label="Results">
          <Sorts filters={filters} />
          {filters.tab === 'services' ? <Services filters={filters} /> : <Agents filters={filters} />}
        </section>
      </div>
      {filters.compare.length === 0 ? null : <Compare filters={filters} />}
    </div>
  );
}

function SearchForm({ filters }: { readonly filters: BrowseFilters }) {
  const { navigate } = useNavigation();
  return (
    // biome-ignore lint/a11y/useSemanticElements: `search` is not yet known to every screen reader
    <form
      role="search"
      className="lookfor"
      action={sitePaths.browse}
      key={filters.search}
      onSubmit={(event) => {
        event.preventDefault();
        const words = String(new FormData(event.currentTarget).get('search') ?? '').trim();
        void navigate(addressOf(filters, { search: words }), { keepScroll: true });
      }}
    >
      <label className="vh" htmlFor="browse-search">
        Search services and agents
      </label>
      <input
        id="browse-search"
        className="input"
        name="search"
        type="search"
        defaultValue={filters.search}
        placeholder="What do you need done?"
      />
      {filters.tab === 'agents' ? <input type="hidden" name="tab" value="agents" /> : null}
      <Button type="submit">Search</Button>
    </form>
  );
}

function Sorts({ filters }: { readonly filters: BrowseFilters }) {
  const offered = filters.tab === 'agents' ? agentSorts : (Object.keys(serviceSorts) as ServiceSort[]);
  return (
    <div className="sorts">
      <nav aria-label="Order of the results">
        {offered.map((sort) => (
          <a key={sort} href={addressOf(filters, { sort })} aria-current={sort === filters.sort ? 'true' : undefined}>
            {serviceSorts[sort][0]}
          </a>
        ))}
      </nav>
      <p className="meta">{serviceSorts[filters.sort][1]}</p>
    </div>
  );
}

function Services({ filters }: { readonly filters: BrowseFilters }) {
  const answer = useAnswer('services.list', serviceArguments(filters), { keepPrevious: true });
  return (
    <Loaded answer={answer} what="The services" skeleton={<Skeleton lines={12} />}>
      {({ data, total, total_capped, next_cursor }) =>
        data.length === 0 ? (
          <Nothing filters={filters} what="service" />
        ) : (
          <>
            <ul className="led rows">
              {data.map((service) => (
                <ServiceRow key={service.id} service={service} action={<CompareLink service={service} filters={filters} />} />
              ))}
            </ul>
            <Paging
              filters={filters}
              next={next_cursor}
              words={`${total}${total_capped ? ' or more' : ''} ${total === 1 ? 'service' : 'services'}`}
            />
          </>
        )
      }
    </Loaded>
  );
}

function Agents({ filters }: { readonly filters: BrowseFilters }) {
  const answer = useAnswer('agents.list', agentArguments(filters), { keepPrevious: true });
  return (
    <Loaded answer={answer} what="The agents" skeleton={<Skeleton lines={12} />}>
      {({ data, total, next_cursor }) =>
        data.length === 0 ? (
          <Nothing filters={filters} what="agent" />
        ) : (
          <>
            <ul className="led rows">
              {data.map((agent) => (
                <AgentRow key={agent.id} agent={agent} />
              ))}
            </ul>
            <Paging filters={filters} next={next_cursor} words={`${total} ${total === 1 ? 'agent' : 'agents'}`} />
          </>
        )
      }
    </Loaded>
  );
}

function Nothing({ filters, what }: { readonly filters: BrowseFilters; readonly what: string }) {
  const all: BrowseFilters = { ...readFilters(new URLSearchParams()), tab: filters.tab };
  return (
    <Empty action={<Button href={addressOf(all)}>Show all {what}s</Button>}>
      No {what} fits{filters.search === '' ? ' these filters' : ` “${filters.search}”`}. Fewer words or filters find more.
    </Empty>
  );
}

function Paging({ filters, next, words }: { readonly filters: BrowseFilters; readonly next: string | null; readonly words: string }) {
  return (
    <div className="more">
      <p className="meta" role="status">
        {words}
      </p>
      <span className="acts">
        {filters.cursor === undefined ? null : <Button href={addressOf(filters)}>First page</Button>}
        {next === null ? null : <Button href={addressOf(filters, { cursor: next })}>Next page</Button>}
      </span>
    </div>
  );
}

function titleOf({ tab, category, search }: BrowseFilters): string {
  const what = tab === 'agents' ? 'agents' : 'services';
  const place = category === undefined ? `All ${what}` : `${categoryWords[category]} ${what}`;
  return search === '' ? place : `${place} for “${search}”`;
}

export const page = definePage({
  load: ({ ask, search }) => {
    const filters = readFilters(search);
    return Promise.all([
      filters.tab === 'services' ? ask('services.list', serviceArguments(filters)) : ask('agents.list', agentArguments(filters)),
      ask('stats.board', {}).catch(() => undefined),
    ]);
  },
  head: ({ search }) => {
    const filters = readFilters(search);
    return {
      title: titleOf(filters),
      description: 'Services of autonomous agents with price, delivery time and reviews that belong to paid orders.',
      canonical: addressOf({ ...filters, compare: [] }),
      ...(filters.search !== '' && { unlisted: true as const }),
    };
  },
  Component: BrowsePage,
});
