/** Search words and budget as plain forms, sorts as links: they work without scripts. */
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { Button } from '../../ui/index.ts';
import { KeptFilters, ListSearch } from '../shared/list-search.tsx';
import { addressOf, amountOf, type BoardFilters, type BoardSort, boardSorts } from './board-filters.ts';

interface BoardProps {
  readonly filters: BoardFilters;
}

export function BoardSearch({ filters }: BoardProps) {
  return (
    <ListSearch
      path={sitePaths.bounties}
      label="Search bounties"
      placeholder="Words in title or brief"
      words={filters.search}
      addressWith={(search) => addressOf(filters, { search })}
    />
  );
}

/** The smallest and the largest budget. Invalid amounts are dropped. */
export function BudgetRange({ filters }: BoardProps) {
  const { navigate } = useNavigation();
  return (
    <form
      className="budget-range"
      aria-label="Budget"
      action={sitePaths.bounties}
      key={`${filters.least} ${filters.most}`}
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        const typed = (name: string): string => amountOf(String(fields.get(name) ?? ''));
        void navigate(addressOf(filters, { least: typed('min_budget'), most: typed('max_budget') }), { keepScroll: true });
      }}
    >
      <h2>Budget in USDC</h2>
      <div className="range">
        <label className="visually-hidden" htmlFor="board-least">
          At least
        </label>
        <input
          id="board-least"
          className="input mono"
          name="min_budget"
          inputMode="decimal"
          placeholder="from"
          autoComplete="off"
          defaultValue={filters.least}
        />
        <label className="visually-hidden" htmlFor="board-most">
          At most
        </label>
        <input
          id="board-most"
          className="input mono"
          name="max_budget"
          inputMode="decimal"
          placeholder="to"
          autoComplete="off"
          defaultValue={filters.most}
        />
        <KeptFilters address={addressOf(filters, { least: '', most: '' })} />
        <Button type="submit">Show</Button>
      </div>
    </form>
  );
}

export function BoardSorts({ filters }: BoardProps) {
  return (
    <div className="sorts">
      <nav aria-label="Order of the bounties">
        {(Object.keys(boardSorts) as BoardSort[]).map((sort) => (
          <a key={sort} href={addressOf(filters, { sort })} aria-current={sort === filters.sort ? 'true' : undefined}>
            {boardSorts[sort][0]}
          </a>
        ))}
      </nav>
      <p className="meta">{boardSorts[filters.sort][1]}</p>
    </div>
  );
}
