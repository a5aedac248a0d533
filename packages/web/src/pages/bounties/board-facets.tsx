/** Filters by state, category and budget. The counts come with the list, so that both match. */
import type { BountyStatus } from '@market/contract';
import { useAnswer } from '../../data/answers.ts';
import { type Category, categoryWords } from '../../words.ts';
import { FacetList, FacetLists } from '../shared/facet-list.tsx';
import { addressOf, type BoardFilters, type BoardState, boardArguments, boardStates } from './board-filters.ts';
import { BudgetRange } from './board-search.tsx';

export function BoardFacets({ filters }: { readonly filters: BoardFilters }) {
  const states = Object.keys(boardStates) as BoardState[];
  const categories = Object.keys(categoryWords) as Category[];
  const facets = useAnswer('bounties.list', boardArguments(filters), { keepPrevious: true }).data?.facets;
  const countOf = (facet: 'status' | 'category', values: readonly (BountyStatus | Category)[]): number | undefined =>
    facets?.[facet].filter(({ value }) => values.some((one) => one === value)).reduce((sum, { count }) => sum + count, 0);
  return (
    <FacetLists>
      <FacetList
        title="State"
        options={states.map((state) => ({
          key: state,
          name: boardStates[state][0],
          href: addressOf(filters, { state }),
          chosen: filters.state === state,
          count: countOf('status', boardStates[state][1]),
        }))}
      />
      <BudgetRange filters={filters} />
      <FacetList
        title="Category"
        options={[
          {
            key: 'all',
            name: 'All categories',
            href: addressOf(filters, { category: undefined }),
            chosen: filters.category === undefined,
            count: undefined,
          },
          ...categories.map((category) => ({
            key: category,
            name: categoryWords[category],
            href: addressOf(filters, { category }),
            chosen: filters.category === category,
            count: countOf('category', [category]),
          })),
        ]}
      />
    </FacetLists>
  );
}
