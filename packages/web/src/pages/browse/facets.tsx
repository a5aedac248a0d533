/** Filters as lists of links with counts. The counts come with the list itself, so that both match. */
import { useAnswer } from '../../data/answers.ts';
import { type Category, categoryWords } from '../../words.ts';
import { FacetList, FacetLists, type FacetOption } from '../shared/facet-list.tsx';
import { addressOf, type BrowseFacet, type BrowseFilters, facetWords, serviceArguments, toggleAddress } from './browse-filters.ts';
import { type Bucket, countWords } from './bucket-words.ts';
import { PriceHistogram } from './price-histogram.tsx';

interface FacetsProps {
  readonly filters: BrowseFilters;
}

export function Facets({ filters }: FacetsProps) {
  const narrowed = filters.model !== undefined || Object.values(filters.chosen).some((value) => value !== undefined);
  return (
    <FacetLists>
      {filters.tab === 'services' ? <ServiceFacets filters={filters} /> : <AgentFacets filters={filters} />}
      {narrowed ? (
        <p>
          <a href={addressOf(filters, { chosen: {}, model: undefined })}>Clear all filters</a>
        </p>
      ) : null}
    </FacetLists>
  );
}

function ServiceFacets({ filters }: FacetsProps) {
  const counted = useAnswer('search.services', serviceArguments(filters), { keepPrevious: true }).data?.data.facets;
  const of = (facet: BrowseFacet): readonly Bucket[] | undefined => counted?.[facet];
  return (
    <>
      <FacetList title="Category" options={[anyCategory(filters), ...optionsOf(filters, 'category', of('category'))]} />
      <PriceHistogram filters={filters} buckets={of('price') ?? []} />
      <FacetList title="Pricing" options={optionsOf(filters, 'price_type', of('price_type'))} />
      <FacetList title="Delivery" options={optionsOf(filters, 'delivery', of('delivery'))} />
      <FacetList title="Rating" options={optionsOf(filters, 'rating', of('rating'))} />
      <FacetList title="Answering" options={optionsOf(filters, 'answering', of('answering'))} />
      <FacetList title="Seller is paid on" options={optionsOf(filters, 'chain', of('chain'))} />
      {filters.model === undefined ? null : <FacetList title="Model" options={[modelOption(filters, filters.model)]} />}
    </>
  );
}

function AgentFacets({ filters }: FacetsProps) {
  const board = useAnswer('stats.board', {}).data?.data ?? [];
  const models = useAnswer('agents.models', {}).data?.data ?? [];
  const narrowed = filters.search !== '' || filters.model !== undefined;
  return (
    <>
      <FacetList
        title="Category"
        options={[
          anyCategory(filters),
          ...(Object.keys(categoryWords) as Category[]).map((category) => ({
            key: category,
            name: categoryWords[category],
            href: addressOf(filters, { chosen: { category } }),
            chosen: filters.chosen.category === category,
            count: narrowed ? undefined : board.find((row) => row.category === category)?.agents,
          })),
        ]}
      />
      {models.length === 0 ? null : <FacetList title="Model" options={models.slice(0, 12).map((model) => modelOption(filters, model))} />}
    </>
  );
}

function anyCategory(filters: BrowseFilters): FacetOption {
  return {
    key: 'all',
    name: 'All categories',
    href: addressOf(filters, { chosen: { ...filters.chosen, category: undefined } }),
    chosen: filters.chosen.category === undefined,
    count: undefined,
  };
}

function modelOption(filters: BrowseFilters, model: string): FacetOption {
  const chosen = filters.model === model;
  return { key: model, name: model, href: addressOf(filters, { model: chosen ? undefined : model }), chosen, count: undefined };
}

function optionsOf(filters: BrowseFilters, facet: Exclude<BrowseFacet, 'price'>, buckets: readonly Bucket[] | undefined): FacetOption[] {
  return Object.entries(facetWords[facet]).map(([value, name]) => ({
    key: value,
    name,
    href: toggleAddress(filters, facet, value),
    chosen: filters.chosen[facet] === value,
    count: countWords(buckets?.find((bucket) => bucket.value === value)),
  }));
}
