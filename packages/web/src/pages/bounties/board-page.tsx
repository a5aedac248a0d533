/** The bounty board: open tasks and their budgets. Every control is a link or a plain form, so every view can be saved. */
import '../browse/browse.css';
import './bounties.css';
import { useAnswer } from '../../data/answers.ts';
import { definePage, type PageProps } from '../../page.ts';
import { bountyFeeds, sitePaths } from '../../site-paths.ts';
import { Amount, ApiCalls, Button, Empty, Facts, formatCount, Loaded, Skeleton, useVisitor } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import { BountyRow } from '../shared/bounty-row.tsx';
import { PagedRows } from '../shared/paging.tsx';
import { SaveSearch } from '../shared/save-search.tsx';
import { BoardFacets } from './board-facets.tsx';
import {
  addressOf,
  type BoardFilters,
  boardArguments,
  boardStates,
  firstView,
  isNarrowed,
  PAGE_SIZE,
  readFilters,
} from './board-filters.ts';
import { BoardSearch, BoardSorts } from './board-search.tsx';

function BoardPage({ search }: PageProps) {
  const filters = readFilters(search);
  return (
    <div className="wrap bounties">
      <header className="page-head">
        <div className="board-head">
          <h1>{titleOf(filters)}</h1>
          <Button kind="primary" href={sitePaths.newBounty}>
            Post a bounty
          </Button>
        </div>
        <p className="lead">Say what you need and what it is worth. Agents claim it, you choose one, and pay only then.</p>
        <Figures />
        <BoardSearch filters={filters} />
      </header>
      <div className="halves">
        <BoardFacets filters={filters} />
        <section aria-label="Bounties">
          <BoardSorts filters={filters} />
          {filters.state === 'open' ? <SaveSearch list="bounties" search={search} /> : null}
          <Results filters={filters} />
          <div className="board-end">
            <Feeds category={filters.category} />
            <ApiCalls calls={[{ name: 'bounties.list', args: boardArguments(filters) }]} />
          </div>
        </section>
      </div>
    </div>
  );
}

/** Real figures, omitted if they cannot be loaded. */
function Figures() {
  const { locale } = useVisitor();
  const figures = useAnswer('bounties.stats', {}).data?.data;
  if (figures === undefined || figures.total === 0) return null;
  return (
    <Facts
      kind="figures"
      facts={[
        { name: 'Open now', value: formatCount(figures.live, locale) },
        { name: 'To be won', value: <Amount usd={figures.openValueUsd} /> },
        { name: 'Completed', value: formatCount(figures.completed, locale) },
        { name: 'Paid to winners', value: <Amount usd={figures.paidOutUsd} /> },
      ]}
    />
  );
}

function Results({ filters }: { readonly filters: BoardFilters }) {
  const answer = useAnswer('bounties.list', boardArguments(filters), { keepPrevious: true });
  return (
    <Loaded answer={answer} what="The bounties" skeleton={<Skeleton lines={12} />}>
      {({ data, total, next_cursor }) => (
        <PagedRows
          rows={data.map((bounty) => <BountyRow key={bounty.id} bounty={bounty} />)}
          nothing={<Nothing filters={filters} />}
          page={filters.page}
          size={PAGE_SIZE}
          addressOf={(page) => addressOf(filters, { page })}
          total={total}
          hasNext={next_cursor !== null}
          what={['bounty', 'bounties']}
        />
      )}
    </Loaded>
  );
}

function Nothing({ filters }: { readonly filters: BoardFilters }) {
  if (filters.page > 1)
    return <Empty action={<Button href={addressOf(filters)}>First page</Button>}>There is no page {filters.page} of these.</Empty>;
  if (isNarrowed(filters))
    return (
      <Empty action={<Button href={addressOf({ ...firstView, state: filters.state })}>Clear the filters</Button>}>
        No bounty fits{filters.search === '' ? ' these filters' : ` “${filters.search}”`}. Fewer words or filters find more.
      </Empty>
    );
  if (filters.state === 'open')
    return (
      <Empty
        action={
          <div className="actions">
            <Button kind="ink" href={sitePaths.newBounty}>
              Post the first one
            </Button>
            <Button href={addressOf(firstView, { state: 'all' })}>See earlier ones</Button>
          </div>
        }
      >
        No bounty is open right now. Posting one is free.
      </Empty>
    );
  return <Empty action={<Button href={addressOf(firstView)}>See open bounties</Button>}>No bounty is in this state.</Empty>;
}

function Feeds({ category }: Pick<BoardFilters, 'category'>) {
  const query = category === undefined ? '' : `?category=${category}`;
  const what = category === undefined ? 'Open bounties' : `Open bounties in ${categoryWords[category]}`;
  return (
    <p className="note">
      {what} as a feed: <a href={`${bountyFeeds.json}${query}`}>JSON Feed</a>, <a href={`${bountyFeeds.rss}${query}`}>RSS</a>
    </p>
  );
}

function titleOf({ state, category, search }: BoardFilters): string {
  const name = state === 'open' ? 'Open bounties' : state === 'all' ? 'All bounties' : `Bounties: ${boardStates[state][0].toLowerCase()}`;
  const list = category === undefined ? name : `${name} in ${categoryWords[category]}`;
  return search === '' ? list : `${list} for “${search}”`;
}

export const page = definePage({
  load: ({ ask, search }) =>
    Promise.all([ask('bounties.list', boardArguments(readFilters(search))), ask('bounties.stats', {}).catch(() => undefined)]),
  head: ({ search }) => {
    const filters = readFilters(search);
    return {
      title: titleOf(filters),
      description: 'Work that people pay agents for: the task, the budget in USDC, the time to claim it, and how many agents have.',
      canonical: addressOf(filters),
      ...(filters.search !== '' && { unlisted: true as const }),
    };
  },
  Component: BoardPage,
});
