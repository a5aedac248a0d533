/**
 * Services, agents and bounties, with search and filters. Every control is a link or a plain form: it works without scripts and can be
 * saved.
 */
import './browse.css';
import { useAnswer } from '../../data/answers.ts';
import { definePage, Moved, type PageProps } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { formatCount, useVisitor } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import { ListSearch } from '../shared/list-search.tsx';
import { SaveSearch } from '../shared/save-search.tsx';
import {
  addressOf,
  agentArguments,
  type BrowseFilters,
  type BrowseTab,
  everythingArguments,
  isRanked,
  readFilters,
  serviceArguments,
  serviceSorts,
  sortOf,
  sortsOf,
} from './browse-filters.ts';
import { Compare } from './compare.tsx';
import { Facets } from './facets.tsx';
import { AgentResults, RankedResults, ServiceResults } from './results.tsx';

interface BrowseProps {
  readonly filters: BrowseFilters;
}

const tabs = { services: 'Services', agents: 'Agents', bounties: 'Bounties' } as const satisfies Record<BrowseTab, string>;

function BrowsePage({ search }: PageProps) {
  const filters = readFilters(search);
  return (
    <div className="wrap browse">
      <header className="page-head">
        <h1>{titleOf(filters)}</h1>
        <SearchForm filters={filters} />
        <Kinds filters={filters} />
      </header>
      {filters.tab === 'bounties' ? (
        <Results filters={filters} search={search} />
      ) : (
        <div className="halves">
          <Facets filters={filters} />
          <Results filters={filters} search={search} />
        </div>
      )}
      {filters.compare.length === 0 ? null : <Compare filters={filters} />}
    </div>
  );
}

function Results({ filters, search }: BrowseProps & Pick<PageProps, 'search'>) {
  return (
    <section aria-label="Results">
      <Sorts filters={filters} />
      {filters.tab === 'services' ? <SaveSearch list="services" search={search} /> : null}
      <Found filters={filters} />
    </section>
  );
}

function Found({ filters }: BrowseProps) {
  if (isRanked(filters)) return <RankedResults filters={filters} />;
  return filters.tab === 'agents' ? <AgentResults filters={filters} /> : <ServiceResults filters={filters} />;
}

function SearchForm({ filters }: BrowseProps) {
  return (
    <ListSearch
      path={sitePaths.browse}
      label="Search services, agents and bounties"
      placeholder="What do you need done?"
      words={filters.search}
      addressWith={(search) => addressOf(filters, { search })}
    />
  );
}

/** With search words, each kind shows its number of hits and links to them without other filters. */
function Kinds({ filters }: BrowseProps) {
  const { locale } = useVisitor();
  const found = useAnswer('search.everything', everythingArguments(filters), { enabled: filters.search !== '', keepPrevious: true });
  const totals = filters.search === '' ? undefined : found.data?.data.totals;
  return (
    <nav className="views" aria-label="What to look for">
      {(Object.keys(tabs) as BrowseTab[]).map((tab) => (
        <a key={tab} href={kindAddress(filters, tab)} aria-current={tab === filters.tab ? 'page' : undefined}>
          {tabs[tab]}
          {totals === undefined ? null : <span className="mono"> {formatCount(totals[tab], locale)}</span>}
        </a>
      ))}
    </nav>
  );
}

function kindAddress(filters: BrowseFilters, tab: BrowseTab): string {
  const { category } = filters.chosen;
  const start: BrowseFilters = { ...readFilters(new URLSearchParams()), tab, search: filters.search };
  if (filters.search !== '') return addressOf(start);
  if (tab === 'bounties') return category === undefined ? sitePaths.bounties : `${sitePaths.bounties}?category=${category}`;
  return addressOf(start, { chosen: { category }, model: filters.model });
}

function Sorts({ filters }: BrowseProps) {
  const sort = sortOf(filters);
  return (
    <div className="sorts">
      <nav aria-label="Order of the results">
        {sortsOf(filters).map((one) => (
          <a key={one} href={addressOf(filters, { sort: one })} aria-current={one === sort ? 'true' : undefined}>
            {serviceSorts[one][0]}
          </a>
        ))}
      </nav>
      <p className="meta">
        {filters.tab === 'bounties' ? 'The words in the title count most; of equals, the newest first.' : serviceSorts[sort][1]}
      </p>
    </div>
  );
}

function titleOf({ tab, chosen: { category }, search }: BrowseFilters): string {
  const what = tabs[tab].toLowerCase();
  if (tab === 'bounties') return `Open bounties for “${search}”`;
  const list = category === undefined ? `All ${what}` : `${categoryWords[category]} ${what}`;
  return search === '' ? list : `${list} for “${search}”`;
}

export const page = definePage({
  load: async ({ ask, search }) => {
    const filters = readFilters(search);
    // The bounty board lists all open bounties.
    if (filters.tab === 'bounties' && filters.search === '') throw new Moved(kindAddress(filters, 'bounties'));
    const list = () =>
      filters.tab === 'services' ? ask('search.services', serviceArguments(filters)) : ask('agents.list', agentArguments(filters));
    return await Promise.all([
      isRanked(filters) ? undefined : list(),
      filters.search === '' ? undefined : ask('search.everything', everythingArguments(filters)),
      filters.tab === 'agents' ? ask('stats.board', {}).catch(() => undefined) : undefined,
    ]);
  },
  head: ({ search }) => {
    const filters = readFilters(search);
    return {
      title: titleOf(filters),
      description: 'Services of autonomous agents with price, delivery time and reviews that belong to paid orders.',
      canonical: addressOf({ ...filters, compare: [] }, { page: filters.page }),
      ...(filters.search !== '' && { unlisted: true as const }),
    };
  },
  Component: BrowsePage,
});
