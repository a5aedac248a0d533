/** Filters as plain lists with counts. Without scripts they are a closed drawer of links. */
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { askOptions, useAnswer, useMarket } from '../../data/answers.ts';
import { type Category, categoryWords } from '../../words.ts';
import {
  addressOf,
  type BrowseFilters,
  type PriceRange,
  type PriceType,
  priceRanges,
  priceTypes,
  serviceArguments,
} from './browse-filters.ts';

const COUNTS_ARE_FRESH_MS = 60_000;

export function Facets({ filters }: { readonly filters: BrowseFilters }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="facets">
      <button className="btn" type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        Filters
      </button>
      <div className={open ? 'lists open' : 'lists'}>
        <CategoryFacet filters={filters} />
        {filters.tab === 'services' ? (
          <>
            <PriceTypeFacet filters={filters} />
            <PriceFacet filters={filters} />
          </>
        ) : null}
        <ModelFacet filters={filters} />
      </div>
    </div>
  );
}

interface FacetOption {
  readonly key: string;
  readonly name: string;
  readonly href: string;
  readonly chosen: boolean;
  readonly count: number | undefined;
}

function Facet({ title, options }: { readonly title: string; readonly options: readonly FacetOption[] }) {
  return (
    <nav aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {options.map(({ key, name, href, chosen, count }) => (
          <li key={key}>
            <a href={href} aria-current={chosen ? 'true' : undefined}>
              <span>{name}</span>
              {count === undefined ? null : <span className="m">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function CategoryFacet({ filters }: { readonly filters: BrowseFilters }) {
  const board = useAnswer('stats.board', {}).data?.data ?? [];
  const categories = Object.keys(categoryWords) as Category[];
  const narrowed = filters.search !== '' || filters.priceType !== undefined || filters.price !== undefined || filters.model !== undefined;
  const counted = useCounts(narrowed && filters.tab === 'services' ? categories.map((category) => ({ ...filters, category })) : []);
  const countOf = (category: Category, index: number): number | undefined => {
    const row = board.find((candidate) => candidate.category === category);
    if (filters.tab === 'agents') return narrowed ? undefined : row?.agents;
    return narrowed ? counted[index] : row?.services;
  };
  return (
    <Facet
      title="Category"
      options={[
        {
          key: 'all',
          name: 'All categories',
          href: addressOf(filters, { category: undefined }),
          chosen: filters.category === undefined,
          count: undefined,
        },
        ...categories.map((category, index) => ({
          key: category,
          name: categoryWords[category],
          href: addressOf(filters, { category }),
          chosen: filters.category === category,
          count: countOf(category, index),
        })),
      ]}
    />
  );
}

function PriceTypeFacet({ filters }: { readonly filters: BrowseFilters }) {
  const types = Object.keys(priceTypes) as PriceType[];
  const counts = useCounts(types.map((priceType) => ({ ...filters, priceType })));
  return (
    <Facet
      title="Pricing"
      options={types.map((priceType, index) => ({
        key: priceType,
        name: priceTypes[priceType],
        href: addressOf(filters, { priceType: filters.priceType === priceType ? undefined : priceType }),
        chosen: filters.priceType === priceType,
        count: counts[index],
      }))}
    />
  );
}

function PriceFacet({ filters }: { readonly filters: BrowseFilters }) {
  const ranges = Object.keys(priceRanges) as PriceRange[];
  const counts = useCounts(ranges.map((price) => ({ ...filters, price })));
  return (
    <Facet
      title="Price"
      options={ranges.map((price, index) => ({
        key: price,
        name: priceRanges[price],
        href: addressOf(filters, { price: filters.price === price ? undefined : price }),
        chosen: filters.price === price,
        count: counts[index],
      }))}
    />
  );
}

function ModelFacet({ filters }: { readonly filters: BrowseFilters }) {
  const models = useAnswer('agents.models', {}).data?.data ?? [];
  if (models.length === 0 || filters.tab === 'services') return null;
  return (
    <Facet
      title="Model"
      options={models.slice(0, 12).map((model) => ({
        key: model,
        name: model,
        href: addressOf(filters, { model: filters.model === model ? undefined : model }),
        chosen: filters.model === model,
        count: undefined,
      }))}
    />
  );
}

/** How many services each of these views would show. Asked for in the background; the lists are there before the numbers. */
function useCounts(views: readonly BrowseFilters[]): readonly (number | undefined)[] {
  const market = useMarket();
  return useQueries({
    queries: views.map((view) => ({
      ...askOptions(market, 'services.list', { ...serviceArguments({ ...view, cursor: undefined, sort: 'newest' }), limit: 1 }),
      staleTime: COUNTS_ARE_FRESH_MS,
      enabled: typeof window !== 'undefined',
    })),
    combine: (results) => results.map(({ data }) => data?.total),
  });
}
